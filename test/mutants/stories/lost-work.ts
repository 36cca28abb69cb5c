import { refundPayment } from '#shared/jobs/refund-payment.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { expireItems } from '../../simulation/cloud/events/expire-items.ts';
import { purgeQueue } from '../../simulation/cloud/events/purge-queue.ts';
import { askFor, keepAsking } from '../../simulation/scenario/api.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import { correctByHand, isHeld } from './by-hand.ts';
import { HOUR_MS, MINUTE_MS, type Placed, place, placeMany, SECOND_MS } from './customers.ts';
import { type Directed, directed, strikes } from './directed.ts';

/** What is under way when somebody comes between, or what carried it is gone. */
export const lostWork = {
  /** Nothing is left but the order that waits: no mark, no message, no outbox. */
  'crash and purge': directed('crash and purge', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      let crashes = 0;
      simulation.faults.plan = strikes(({ label }) => {
        if (label !== 'execute-job/capture-payment claim State') return undefined;
        return crashes++ === 0 ? 'crash-after' : undefined;
      });
      place(simulation, { number: 1 });
      simulation.world.after(MINUTE_MS, () => purgeQueue(simulation, 'capture-payment'));
    },
  }),
  'dispatcher cut off from a queue': directed('dispatcher cut off from a queue', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const endsMs = simulation.world.nowMs + 20 * SECOND_MS;
      simulation.faults.plan = strikes(({ label, atMs }) =>
        label === 'dispatch-outbox SendMessageBatch capture-payment' && atMs < endsMs ? 'throttled' : undefined,
      );
      place(simulation, { number: 1 });
    },
  }),
  'orders of many users': directed('orders of many users', {
    stormMs: 10 * MINUTE_MS,
    begin: (simulation) => placeMany(simulation, 25, 3 * SECOND_MS),
  }),
  /** The table's time to live takes what is due, hours after everything is done. */
  'expiry after hours': directed('expiry after hours', {
    stormMs: 4 * HOUR_MS,
    begin(simulation) {
      place(simulation, { number: 1 });
      simulation.world.after(3 * HOUR_MS, () => expireItems(simulation, 0));
    },
  }),
  /** A worker decides on a status that has changed by the time it commits. */
  'corrected while held': directed('corrected while held', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const { world } = simulation;
      const decline = (order: Placed): void => {
        if (!isHeld(simulation, order)) return void world.after(1, () => decline(order));
        correctByHand(simulation, order, { status: 'payment_declined', declineReason: 'corrected' });
      };
      place(simulation, { number: 1 }, decline);
    },
  }),
  /** The order says paid while nobody knows what became of its charge. */
  'corrected while a charge is out': directed('corrected while a charge is out', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      cutOffFirstCapture(simulation);
      place(simulation, { number: 1 }, (order) => {
        simulation.world.after(3 * SECOND_MS, () => correctByHand(simulation, order, { status: 'paid', captureId: 'as-support-says' }));
        simulation.world.after(4 * SECOND_MS, () => askRefund(simulation, order, 'refund-1'));
      });
    },
  }),
  /** A refund is under way, and the order says paid again: another refund is asked for. */
  'corrected while a refund is held': directed('corrected while a refund is held', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const { world } = simulation;
      simulation.faults.plan = strikes(({ label }) => (label === 'execute-job/refund-payment refund at the provider' ? 'slow' : undefined));
      const askAgain = (order: Placed): void => {
        if (!isHeld(simulation, order)) return void world.after(1, () => askAgain(order));
        correctByHand(simulation, order, { status: 'paid' });
        askRefund(simulation, order, 'refund-2');
      };
      place(simulation, { number: 1 }, (order) => {
        world.after(10 * SECOND_MS, () => {
          askRefund(simulation, order, 'refund-1');
          askAgain(order);
        });
      });
    },
  }),
  /** A refund is carried out on an order whose capture is still open, and the capture's message is gone. */
  'two operations open': directed('two operations open', {
    stormMs: 30 * MINUTE_MS,
    begin(simulation) {
      cutOffFirstCapture(simulation);
      place(simulation, { number: 1 }, (order) => {
        simulation.world.after(3 * SECOND_MS, () => {
          simulation.sqs.handle('PurgeQueue', { QueueUrl: urlOf('capture-payment') });
          refundByHand(simulation, order);
        });
      });
    },
  }),
} satisfies Readonly<Record<string, Directed>>;

/** It charges, and its answer is lost. */
function cutOffFirstCapture(simulation: Simulation): void {
  let captures = 0;
  simulation.faults.plan = strikes(({ label }) => {
    if (label !== 'execute-job/capture-payment capture at the provider') return undefined;
    return captures++ === 0 ? 'answer-lost' : undefined;
  });
}

function askRefund(simulation: Simulation, { userId, orderId }: Placed, key: string): void {
  keepAsking(simulation, askFor('accept-refund', userId, orderId, key), { patient: false });
}

function refundByHand(simulation: Simulation, order: Placed): void {
  const { world, services } = simulation;
  correctByHand(simulation, order, { status: 'refund_pending', refundAttempt: 1, refundAtMs: Math.floor(world.nowMs) });
  const message = outboxMessage(job(refundPayment, { ...order, attempt: 1 }), world.nowMs);
  const input = { QueueUrl: urlOf('refund-payment'), MessageBody: JSON.stringify(message) };
  services.apply({ service: 'sqs', operation: 'SendMessage', input }, 0, 'operator');
}
