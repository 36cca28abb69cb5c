import { askFor, keepAsking } from '../../simulation/scenario/api.ts';
import { MINUTE_MS, place, SECOND_MS } from './customers.ts';
import { type Directed, directed, strikes } from './directed.ts';

const CAPTURE = 'execute-job/capture-payment capture at the provider';
const SEND = 'execute-job/send-receipt PutItem Mail';

/** What the provider says of money, and what customers are told of it. */
export const receipts = {
  /** It was sent, and nobody lives to say so. */
  'a receipt whose sender dies': directed('a receipt whose sender dies', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      let sent = 0;
      simulation.faults.plan = strikes(({ label }) => (label === SEND && sent++ === 0 ? 'crash-after' : undefined));
      place(simulation, { number: 1 });
    },
  }),
  'receipts that nobody takes': directed('receipts that nobody takes', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const endsMs = simulation.world.nowMs + MINUTE_MS;
      simulation.faults.plan = strikes(({ label, atMs }) => (label === SEND && atMs < endsMs ? 'refused' : undefined));
      place(simulation, { number: 1 });
    },
  }),
  /** Of more than was asked for, or in another currency. */
  'a provider that tells of other money': directed('a provider that tells of other money', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const endsMs = simulation.world.nowMs + MINUTE_MS;
      simulation.faults.plan = strikes(({ label, atMs }) => (label === CAPTURE && atMs < endsMs ? 'wrong-amount' : undefined));
      for (let number = 1; number <= 4; number++) place(simulation, { number });
    },
  }),
  /** The charge is made, and its customer would like to pay again. */
  'an answer that breaks off': directed('an answer that breaks off', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      let captures = 0;
      simulation.faults.plan = strikes(({ label }) => (label === CAPTURE && captures++ === 0 ? 'answer-lost' : undefined));
      place(simulation, { number: 1 }, ({ userId, orderId }) => {
        const again = askFor('accept-payment-attempt', userId, orderId, 'again-1');
        simulation.world.after(30 * SECOND_MS, () => keepAsking(simulation, again, { patient: false }));
      });
    },
  }),
} satisfies Readonly<Record<string, Directed>>;
