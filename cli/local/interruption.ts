import { printNote } from '../output/print.ts';

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Interruption = keyof typeof EXIT_CODES;
const SIGNALS = Object.keys(EXIT_CODES) as Interruption[];

/**
 * Ctrl-C and its relatives. While something is under way they stop what was started and end the program at once.
 *
 * Does not protect against SIGKILL: what was started goes on, and the next start or `andal down` finds it by its pid file.
 */
export function watchForInterruption(stop: () => Promise<void>): { asOrderlyEnd(): Promise<void> } {
  const stopAndExit = async (signal: Interruption): Promise<void> => {
    printNote('\nStopping …');
    await stop();
    process.exit(EXIT_CODES[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, stopAndExit);
  return {
    /** From now on an interruption is the end that was waited for. */
    asOrderlyEnd() {
      for (const signal of SIGNALS) process.off(signal, stopAndExit);
      const { promise, resolve } = Promise.withResolvers<void>();
      // A promise alone does not keep the process alive.
      const alive = setInterval(() => {}, 60_000);
      for (const signal of SIGNALS) process.once(signal, () => resolve());
      return promise.finally(() => {
        clearInterval(alive);
        printNote('\nStopping …');
      });
    },
  };
}
