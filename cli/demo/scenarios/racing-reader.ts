import type { OrderStatus } from '#shared/domain/order.ts';
import { waitFor } from '../patience.ts';
import type { Scenario } from '../scenario.ts';
import { broken, kept } from '../verdict.ts';
import { nameOf, order } from '../world.ts';

/** Reads on for as long after the first `paid` as an old cache entry could still be put back. */
const READS_AFTER_PAID = 40;

export const racingReader: Scenario = {
  title: 'A reader that never stops while the order is paid',
  promise: 'a reader never goes back from paid to pending',
  async run(world, tell) {
    const made = await order(world, { key: 'reader', shows: 'read without pause', fault: 'slow' });
    const seen: OrderStatus[] = [];
    await waitFor(
      'a read that says paid',
      async () => {
        const { status, body } = await world.api.get(made.userId, made.orderId);
        if (status !== 200) throw new Error(`a read was answered ${status}: ${body.detail ?? body.title}`);
        seen.push(body.status);
        tell(`${seen.length} reads, the last one says ${body.status}`);
        return seen.indexOf('paid') >= 0 && seen.length - seen.indexOf('paid') > READS_AFTER_PAID ? true : undefined;
      },
      { limitMs: world.patienceMs, everyMs: 5 },
    );
    const firstPaid = seen.indexOf('paid');
    const wentBack = seen.slice(firstPaid).filter((status) => status !== 'paid').length;
    const summary = `${seen.length} reads in a row: ${firstPaid} pending, then ${seen.length - firstPaid} paid`;
    return wentBack === 0
      ? kept(this.promise, summary)
      : broken(this.promise, `${wentBack} reads said pending after the first paid`, [nameOf(made)]);
  },
};
