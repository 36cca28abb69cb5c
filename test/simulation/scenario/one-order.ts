import { askFor, createOrder, keepAsking, readOrder, readSummary } from './api.ts';
import type { Story } from './story.ts';

const USER = 'u-1';

/** The smallest story with every function of the main path: one order, paid, read, given back. */
export const oneOrder: Story = {
  name: 'one-order',
  stormMs: 10 * 60_000,
  begin(simulation) {
    const { world } = simulation;
    keepAsking(simulation, createOrder(USER, 'order-1', { amountMinor: 4_999, currency: 'EUR', note: 'canary-note-1' }), {
      whenAnswered({ body }) {
        const { orderId } = JSON.parse(body) as { orderId: string };
        world.after(6_000, () => keepAsking(simulation, readOrder(USER, orderId)));
        world.after(20_000, () => keepAsking(simulation, askFor('accept-refund', USER, orderId, 'refund-1')));
        world.after(21_500, () => keepAsking(simulation, readSummary(USER)));
      },
    });
  },
};
