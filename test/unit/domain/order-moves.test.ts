import { expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { ORDER_MOVES, type OrderStatus } from '#shared/domain/order.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { refundPayment } from '#shared/jobs/refund-payment.ts';
import { requestOnOrder } from '#shared/requests/request-on-order.ts';
import { payAgain, refund } from '#shared/requests/wishes.ts';
import { createWorkerBench, USER, type WorkerBench } from '../../support/worker-bench.ts';

/** Every change of an order's status that the table's stream tells of, oldest first. */
const movesOf = (bench: WorkerBench): [OrderStatus, OrderStatus][] =>
  bench.aws.dynamodb.stream('State').flatMap(({ dynamodb }) => {
    const from = dynamodb?.OldImage?.status?.S;
    const to = dynamodb?.NewImage?.status?.S;
    return from === undefined || to === undefined || from === to
      ? []
      : [[from as OrderStatus, to as OrderStatus] as [OrderStatus, OrderStatus]];
  });

test('an order that is declined, paid again, refused its refund and refunded moves along the graph only, one version a move', async () => {
  const bench = createWorkerBench();
  let tokens = 0;
  const world = { store: bench.store, clock: bench.clock, random: { token: () => `token-${++tokens}` } };
  const key = orderItemKey(USER, 'ord-1');
  const ask = (name: string, wish: Parameters<typeof requestOnOrder>[2]) => requestOnOrder(key, name, wish, world);
  const nextMessage = () => JSON.stringify((bench.order('ord-1').outbox as unknown[])[0]);

  bench.payments.scripts.push({ charge: false, answer: { status: 'declined', reason: 'card-declined' } });
  await bench.deliver(await bench.createOrder('ord-1'));
  await ask('again', payAgain(bench.clock.nowMs()));
  await bench.deliver(nextMessage(), { definition: capturePayment });
  const { refund: providerRefund } = bench.payments;
  bench.payments.refund = async () => ({ status: 'declined', reason: 'too-late' });
  await ask('refund-1', refund(bench.clock.nowMs()));
  await bench.deliver(nextMessage(), { definition: refundPayment });
  bench.payments.refund = providerRefund;
  await ask('refund-2', refund(bench.clock.nowMs()));
  await bench.deliver(nextMessage(), { definition: refundPayment });

  const moves = movesOf(bench);
  expect(moves.map(([, to]) => to)).toEqual([
    'payment_declined',
    'pending_payment',
    'paid',
    'refund_pending',
    'paid',
    'refund_pending',
    'refunded',
  ]);
  for (const [from, to] of moves) expect(ORDER_MOVES[from]).toContain(to);
  expect(bench.order('ord-1').version).toBe(1 + moves.length);
});
