import { printNote } from './print.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Gives the work a signal that Ctrl-C sets off: it ends what it has begun and nothing else. A second Ctrl-C ends the program where it is.
 */
export async function untilInterrupted<Answer>(work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const controller = new AbortController();
  const stop = (signal: keyof typeof EXIT_CODES): void => {
    if (controller.signal.aborted) process.exit(EXIT_CODES[signal]);
    printNote('\nStopping after what is under way …');
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
