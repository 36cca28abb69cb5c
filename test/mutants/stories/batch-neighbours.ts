import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import type { Invariant } from '../../simulation/invariant.ts';
import { imageOf, jobOf, keyIn, recordOf } from '../../simulation/invariants/item-views.ts';
import type { Fault } from '../../simulation/network/fault.ts';
import { HOUR_MS, MINUTE_MS, place } from './customers.ts';
import { atTheProvider, type Directed, directed, strikes } from './directed.ts';

const KILLER_MINOR = 66_600;
/** The first delivery runs side by side, and dies as a whole. After that nobody shares a process with a job that was delivered before. */
const MOST_CLAIMS = 2;

/** One order's job takes its whole process down whenever it comes to call. */
const neighbours: Invariant = {
  id: 'S21',
  promise: 'a job that kills its process costs each of its batch one attempt and no more',
  watch(simulation, violate) {
    let killer = '';
    const carriers = new Set<string>();
    simulation.faults.plan = strikes((point): Fault | undefined =>
      atTheProvider(point) && carriers.has(simulation.world.current?.name ?? '') ? 'crash-before' : undefined,
    );
    return {
      itemWritten({ id, next, by }) {
        if (next?.['amountMinor'] === KILLER_MINOR) killer = id;
        if (by?.startsWith('execute-job/') !== true) return;
        if (id !== killer) {
          const claims = Number(next?.['try:capture:1'] ?? 0);
          if (claims > MOST_CLAIMS) violate(`${id} is claimed for the ${claims}rd time because of its neighbour ${killer}`);
        } else if (next?.['lease'] === 'held') carriers.add(by);
        else carriers.delete(by);
      },
    };
  },
};

/** Only a death counts its attempts, for nobody lives to count them. */
const setAside: Invariant = {
  id: 'L1',
  promise: 'a job that kills its process is a dead letter within two hours',
  watch(_, violate) {
    const letters: (string | undefined)[] = [];
    return {
      queueCalled({ operation, input }) {
        if (operation === 'SendMessage' && String(input.QueueUrl).endsWith('/capture-payment-dlq'))
          letters.push(keyIn(String(input.MessageBody)));
      },
      calm() {
        if (letters.length === 0) violate('a job has killed its process for two hours and is still tried');
      },
    };
  },
};

/** A refusal of one order's call is no fault of the others. */
const failsAlone: Invariant = {
  id: 'S21',
  promise: 'what is finished does not come back because another message of its batch failed',
  watch(simulation, violate) {
    return {
      messagesDelivered(queueName, records) {
        if (queueName !== 'capture-payment') return;
        for (const { body, attributes } of records) {
          const job = jobOf(keyIn(body) ?? '');
          const isFinished = job !== undefined && recordOf(imageOf(simulation, job.item), job.operation)?.status === 'completed';
          if (isFinished && Number(attributes.ApproximateReceiveCount) > 1) violate(`${job.key} comes back, although it is finished`);
        }
      },
    };
  },
};

export const batchNeighbours = {
  'one of a batch fails': directed('one of a batch fails', {
    stormMs: 20 * MINUTE_MS,
    watching: [failsAlone],
    begin(simulation) {
      const { amountMinor } = MAGIC_AMOUNTS.unavailableOnce;
      for (let number = 1; number <= 6; number++) place(simulation, { number, ...(number === 3 ? { amountMinor } : {}) });
    },
  }),
  'a job that kills its process': directed('a job that kills its process', {
    stormMs: 2 * HOUR_MS,
    keepsFaults: true,
    watching: [neighbours, setAside],
    begin(simulation) {
      for (let number = 1; number <= 10; number++)
        place(simulation, { number, userId: 'u-1', ...(number === 5 ? { amountMinor: KILLER_MINOR } : {}) });
    },
  }),
} satisfies Readonly<Record<string, Directed>>;
