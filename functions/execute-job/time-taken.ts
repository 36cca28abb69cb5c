import type { ItemStore } from '#shared/item/item-store.ts';
import type { PaymentPort } from '#shared/payments/payment-port.ts';

/** Milliseconds that answered calls took, in the order they ended. */
export interface TimeTaken {
  /** Of the dependency. */
  readonly callMs: readonly number[];
  /** Of the State table: claims, commits and settles. */
  readonly writeMs: readonly number[];
}

type Async<Arguments extends unknown[], Answer> = (...given: Arguments) => Promise<Answer>;

/** Notes how long answers took, for whoever reads the log; a call that got none says nothing about that. Decides nothing. */
export function noteTimes(nowMs: () => number) {
  let taken = { callMs: [] as number[], writeMs: [] as number[] };
  // The promise is handed on as it is: nobody waits a turn longer for being watched.
  const noted =
    <Arguments extends unknown[], Answer>(name: keyof TimeTaken, work: Async<Arguments, Answer>): Async<Arguments, Answer> =>
    (...given) => {
      const startedAtMs = nowMs();
      const answer = work(...given);
      answer.then(
        () => void taken[name].push(Math.round(nowMs() - startedAtMs)),
        () => undefined,
      );
      return answer;
    };
  return {
    payments: ({ capture, find, void: close, refund }: PaymentPort): PaymentPort => ({
      capture: noted('callMs', capture),
      find: noted('callMs', find),
      void: noted('callMs', close),
      refund: noted('callMs', refund),
    }),
    store: ({ read, write, writeTogether }: ItemStore): ItemStore => ({
      read,
      write: noted('writeMs', write),
      writeTogether: noted('writeMs', writeTogether),
    }),
    /** What was noted since the last time, or nothing where there was nothing. */
    take(): Partial<TimeTaken> {
      const { callMs, writeMs } = taken;
      taken = { callMs: [], writeMs: [] };
      return { ...(callMs.length === 0 ? {} : { callMs }), ...(writeMs.length === 0 ? {} : { writeMs }) };
    },
  };
}
