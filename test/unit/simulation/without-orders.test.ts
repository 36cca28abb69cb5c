import { expect, it } from 'vitest';
import { leftOut, withoutOrders } from '../../simulation/modes/without-orders.ts';
import { observe } from './observed-run.ts';

it('loses the requests of the orders it leaves out, notes each that was to be placed, and carries all others', () => {
  const invoked: string[] = [];
  const checker = withoutOrders([2, 999]);
  const run = observe({
    ...checker,
    watch(simulation, violate) {
      Object.assign(simulation, { lambda: { invoke: (name: string) => invoked.push(name) } });
      return checker.watch(simulation, violate);
    },
  });
  const ask = (name: string, key: string): void =>
    run.simulation.lambda.invoke(name, { headers: { 'idempotency-key': key } }, () => undefined);
  ask('accept-order', 'order-1');
  ask('accept-order', 'order-2');
  ask('accept-refund', 'order-2');
  expect(invoked).toEqual(['accept-order', 'accept-refund']);
  expect(Object.keys(run.situations)).toEqual([leftOut(2)]);
});
