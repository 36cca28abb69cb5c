/** Something that waits until a test lets it go on. */
export interface Gate {
  wait(): Promise<void>;
  open(): void;
  /**
   * Resolves when somebody waits at the gate.
   *
   * @throws Error when the work that was to come here ends first
   */
  reachedBy(work: Promise<unknown>): Promise<void>;
}

export function createGate(): Gate {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    wait() {
      reached.resolve();
      return opened.promise;
    },
    open: () => opened.resolve(),
    reachedBy: (work) => Promise.race([reached.promise, work.then(endedEarly)]),
  };
}

function endedEarly(answer: unknown): never {
  throw new Error(`the work ended before it came to the gate: ${JSON.stringify(answer)}`);
}
