import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { poisonBodies } from '../../simulation/cloud/events/inject-poison.ts';
import { adjustStock, keepAsking } from '../../simulation/scenario/api.ts';
import { actOnLetters } from '../../simulation/scenario/operator.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import { pauseUntil } from './by-hand.ts';
import { HOUR_MS, MINUTE_MS, place, SECOND_MS } from './customers.ts';
import { type Directed, directed, strikes } from './directed.ts';

const replayEverything = { replaying: () => true, mostRuns: 2 };

/** Batches that are answered in part, groups that must keep their order, letters that somebody else has written on. */
export const carriage = {
  'a dispatcher told that entries failed': directed('a dispatcher told that entries failed', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      let calls = 0;
      simulation.faults.plan = strikes(({ label }) =>
        label === 'dispatch-outbox SendMessageBatch capture-payment' && calls++ === 0 ? 'entry-failed' : undefined,
      );
      place(simulation, { number: 1 });
    },
  }),
  'a replay whose sending fails': directed('a replay whose sending fails', {
    stormMs: 30 * MINUTE_MS,
    begin(simulation) {
      let calls = 0;
      simulation.faults.plan = strikes(({ label }) =>
        label === 'andal-dlq SendMessageBatch capture-payment' && calls++ === 0 ? 'entry-failed' : undefined,
      );
      place(simulation, { number: 1, amountMinor: MAGIC_AMOUNTS.wrongAmount.amountMinor });
      simulation.world.after(5 * MINUTE_MS, () => void actOnLetters(simulation, replayEverything));
    },
  }),
  /** One of the rows that are read together does not come with the others. */
  'a pause that is read in part': directed('a pause that is read in part', {
    stormMs: HOUR_MS,
    begin(simulation) {
      simulation.faults.plan = strikes(({ label }) =>
        label === 'execute-job/capture-payment BatchGetItem Control' ? 'keys-unprocessed' : undefined,
      );
      pauseUntil(simulation, 'capture-payment', 30 * MINUTE_MS);
      for (let number = 1; number <= 4; number++) simulation.world.after(5 * number * SECOND_MS, () => place(simulation, { number }));
    },
  }),
  /** Its queue refuses it until it is parked, and for a while after that. */
  'a parked job that cannot be sent': directed('a parked job that cannot be sent', {
    stormMs: 30 * MINUTE_MS,
    begin(simulation) {
      const endsMs = simulation.world.nowMs + 5 * MINUTE_MS;
      simulation.faults.plan = strikes(({ label, atMs }) =>
        atMs < endsMs && /^(?:dispatch|retry)-outbox SendMessageBatch capture-payment$/.test(label) ? 'entry-failed' : undefined,
      );
      place(simulation, { number: 1 });
    },
  }),
  'a letter with attributes of its sender': directed('a letter with attributes of its sender', {
    stormMs: 20 * MINUTE_MS,
    begin(simulation) {
      writeLetter(simulation, { tenant: { DataType: 'String', StringValue: 'north' } });
      simulation.world.after(MINUTE_MS, () => void actOnLetters(simulation, replayEverything));
    },
  }),
  /** The first of a batch finds a table that is short of throughput. */
  'adjustments in a row': directed('adjustments in a row', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      let claims = 0;
      simulation.faults.plan = strikes(({ label }) =>
        label === 'execute-job/adjust-stock claim State' && claims++ < CLAIM_TRIES ? 'throttled' : undefined,
      );
      adjustInARow(simulation);
    },
  }),
  'adjustments whose sending fails': directed('adjustments whose sending fails', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const endsMs = simulation.world.nowMs + 10 * SECOND_MS;
      simulation.faults.plan = strikes(({ label, atMs }) =>
        label === 'dispatch-outbox SendMessageBatch adjust-stock.fifo' && atMs < endsMs ? 'entry-failed' : undefined,
      );
      adjustInARow(simulation);
    },
  }),
} satisfies Readonly<Record<string, Directed>>;

/** As often as the SDK sends one write. */
const CLAIM_TRIES = 3;

/** So fast that they come in one batch. */
function adjustInARow(simulation: Simulation): void {
  for (let number = 1; number <= 6; number++)
    simulation.world.after(20 * number, () => keepAsking(simulation, adjustStock('sku-1', `adjustment-${number}`, number)));
}

/** A letter that came another way than a worker's. */
function writeLetter({ services, jobQueues }: Simulation, MessageAttributes: object): void {
  const queue = jobQueues.find(({ queueName }) => queueName === 'capture-payment');
  const MessageBody = queue === undefined ? '' : poisonBodies(queue)['wrong-payload'];
  const input = { QueueUrl: urlOf('capture-payment-dlq'), MessageBody, MessageAttributes };
  services.apply({ service: 'sqs', operation: 'SendMessage', input }, 0, 'somebody');
}
