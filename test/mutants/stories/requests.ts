import {
  adjustStock,
  askFor,
  callApi,
  createOrder,
  exportOrders,
  keepAsking,
  readOrder,
  readSummary,
} from '../../simulation/scenario/api.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { MINUTE_MS, type Placed, place, SECOND_MS } from './customers.ts';
import { type Directed, directed, strikes } from './directed.ts';

/** What customers ask for at the wrong moment, or in the wrong way. */
export const requests = {
  'a request without a key': directed('a request without a key', {
    stormMs: 5 * MINUTE_MS,
    begin(simulation) {
      place(simulation, { number: 1 });
      const { idempotencyKey: _, ...keyless } = createOrder('u-1', '', { amountMinor: 700, currency: 'EUR', note: 'canary-note-2' });
      simulation.world.after(20 * SECOND_MS, () => callApi(simulation, keyless, () => undefined));
    },
  }),
  'a table that does not answer the API': directed('a table that does not answer the API', {
    stormMs: 5 * MINUTE_MS,
    begin(simulation) {
      const endsMs = simulation.world.nowMs + 15 * SECOND_MS;
      simulation.faults.plan = strikes(({ label, atMs }) =>
        label === 'accept-order accept State' && atMs < endsMs ? 'server-error' : undefined,
      );
      place(simulation, { number: 1 });
    },
  }),
  'reads around commits': directed('reads around commits', { stormMs: 5 * MINUTE_MS, begin: readAroundCommits }),
  /** Each reader stands still with what it has loaded, over the commit that makes it untrue. */
  'readers that stand still': directed('readers that stand still', {
    stormMs: 5 * MINUTE_MS,
    begin(simulation) {
      simulation.faults.plan = strikes(({ label }) => (/^read-order (?:GetItem|Query) State$/.test(label) ? 'freeze-after' : undefined));
      readAroundCommits(simulation);
    },
  }),
  'reads that lag': directed('reads that lag', {
    stormMs: 5 * MINUTE_MS,
    begin(simulation) {
      simulation.faults.plan = strikes(({ label }) => (/^read-order (?:GetItem|Query) State$/.test(label) ? 'stale-read' : undefined));
      readAroundCommits(simulation);
    },
  }),
  /** A refund, and a payment attempt that the order is not ready for. */
  'one key for two wishes': directed('one key for two wishes', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const ask = (what: 'accept-refund' | 'accept-payment-attempt', { userId, orderId }: Placed): void =>
        keepAsking(simulation, askFor(what, userId, orderId, 'wish-1'));
      place(simulation, { number: 1 }, (order) => {
        simulation.world.after(20 * SECOND_MS, () => ask('accept-refund', order));
        simulation.world.after(MINUTE_MS, () => ask('accept-payment-attempt', order));
      });
    },
  }),
  'keys of adjustments and exports used twice': directed('keys of adjustments and exports used twice', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const asked = [adjustStock('sku-1', 'key-1', 5), adjustStock('sku-1', 'key-1', 5), adjustStock('sku-1', 'key-1', 7)];
      const exports = [exportOrders('u-1', 'key-1'), exportOrders('u-1', 'key-1')];
      for (const [index, request] of [...asked, ...exports].entries())
        simulation.world.after(5 * index * SECOND_MS, () => keepAsking(simulation, request));
    },
  }),
  'stock in a crowd': directed('stock in a crowd', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      let conflicts = 0;
      simulation.faults.plan = strikes(({ label }) => (label.endsWith(' in a transaction') && conflicts++ < 6 ? 'conflict' : undefined));
      adjustTwice(simulation);
    },
  }),
} satisfies Readonly<Record<string, Directed>>;

function readAroundCommits(simulation: Simulation): void {
  place(simulation, { number: 1 }, (order) => {
    readOften(simulation, order, 0);
    simulation.world.after(20 * SECOND_MS, () => {
      keepAsking(simulation, askFor('accept-refund', order.userId, order.orderId, 'refund-1'));
      readOften(simulation, order, 0);
    });
  });
}

function readOften(simulation: Simulation, { userId, orderId }: Placed, fromMs: number): void {
  const { world } = simulation;
  for (let reads = 0; reads < 12; reads++) {
    const request = reads % 2 === 0 ? readOrder(userId, orderId) : readSummary(userId);
    world.after(fromMs + world.chance.between(0, 2_500), () => callApi(simulation, request, () => undefined));
  }
}

function adjustTwice(simulation: Simulation): void {
  keepAsking(simulation, adjustStock('sku-1', 'adjustment-1', 5));
  simulation.world.after(2 * SECOND_MS, () => keepAsking(simulation, adjustStock('sku-1', 'adjustment-2', -2)));
}
