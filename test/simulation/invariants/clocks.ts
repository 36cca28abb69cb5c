import type { Process } from '../kernel/process.ts';

/**
 * What is known of the processes of a run: each shows its clock when an invocation of it ends, however it ends. Until then nobody
 * outside can tell a wrong clock from a right one, so a judgement that depends on it waits.
 */
export interface Clocks {
  /** To be told of every process whose invocation ended. */
  saw(process: Process): void;
  /** Undefined while it is not known. */
  aheadMs(name: string): number | undefined;
  /** Judges as soon as every one of them is known; at once when they are. */
  whenKnown(names: readonly string[], judge: () => void): void;
  /** How far the known clocks, and the true time among them, lie apart. */
  readonly apartMs: number;
}

export function createClocks(): Clocks {
  const ahead = new Map<string, number>();
  let waiting: { readonly names: readonly string[]; readonly judge: () => void }[] = [];
  let [earliest, latest] = [0, 0];
  const isKnown = (names: readonly string[]): boolean => names.every((name) => ahead.has(name));
  return {
    saw({ name, clockAheadMs }) {
      if (ahead.has(name)) return;
      ahead.set(name, clockAheadMs);
      [earliest, latest] = [Math.min(earliest, clockAheadMs), Math.max(latest, clockAheadMs)];
      if (waiting.length === 0) return;
      const ready = waiting.filter(({ names }) => isKnown(names));
      waiting = waiting.filter(({ names }) => !isKnown(names));
      for (const { judge } of ready) judge();
    },
    aheadMs: (name) => ahead.get(name),
    whenKnown(names, judge) {
      if (isKnown(names)) judge();
      else waiting.push({ names, judge });
    },
    get apartMs() {
      return latest - earliest;
    },
  };
}
