/** Resolves when nobody else is waited for. */
export type Gather = () => Promise<unknown>;

/** Whoever asks in the same turn of the event loop. */
export const inOneTurn: Gather = () => Promise.resolve();

export interface AskTogether<Asked, Answer> {
  readonly most: number;
  readonly gather?: Gather;
  /** One call for all of them. @returns an answer to each, in their order */
  readonly run: (asked: readonly Asked[]) => Promise<readonly (Answer | PromiseLike<Answer>)[]>;
}

interface Waiting<Asked, Answer> extends PromiseWithResolvers<Answer> {
  readonly asked: Asked;
}

/**
 * Makes one call of what is asked for within a moment: it leaves when it is full, or when `gather` is over. All of them fail when it
 * fails.
 */
export function askTogether<Asked, Answer>({ most, gather = inOneTurn, run }: AskTogether<Asked, Answer>) {
  let open: Waiting<Asked, Answer>[] | undefined;
  const leave = async (group: readonly Waiting<Asked, Answer>[]): Promise<void> => {
    if (open === group) open = undefined;
    try {
      const answers = await run(group.map(({ asked }) => asked));
      for (const [index, { resolve }] of group.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };
  return (asked: Asked): Promise<Answer> => {
    const waiting = { ...Promise.withResolvers<Answer>(), asked };
    if (open === undefined) {
      const group = [waiting];
      open = group;
      void gather().then(() => (open === group ? leave(group) : undefined));
    } else open.push(waiting);
    if (open.length === most) void leave(open);
    return waiting.promise;
  };
}
