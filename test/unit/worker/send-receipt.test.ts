import { describe, expect, test } from 'vitest';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { openGate } from '#shared/worker/gate.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';
import { messageOf } from './scripted-job.ts';

const payload = { userId: 'u-1', orderId: 'ord-1', attempt: 1, amountMinor: 4999, currency: 'EUR', captureId: 'cap-1' };
const definition = sendReceipt;
const body = messageOf(definition, payload);
const item = { pk: 'JOB#send-receipt#receipt:u-1/ord-1:1', sk: 'JOB' };

describe('a receipt', () => {
  test('follows from the commit that paid the order, and is sent once however often its message comes', async () => {
    const bench = createWorkerBench();
    await bench.deliver(await bench.createOrder('ord-1'));
    const [message] = bench.order('ord-1')['outbox'] as object[];
    expect(await bench.deliver(JSON.stringify(message), { definition })).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(await bench.deliver(JSON.stringify(message), { definition })).toMatchObject({ action: 'ack', outcome: 'duplicate' });
    expect(bench.mails).toEqual([
      { deliveryKey: 'receipt:u-1/ord-1:1', userId: 'u-1', orderId: 'ord-1', amountMinor: 4999, currency: 'EUR', captureId: 'cap-1' },
    ]);
    expect(bench.order('ord-1').status).toBe('paid');
  });

  test('that was sent by a worker that died before its commit is recorded by asking and not sent again', async () => {
    const bench = createWorkerBench();
    const { ports } = bench;
    const mail = {
      ...ports.mail,
      send: async (receipt: Parameters<typeof ports.mail.send>[0]) => {
        await ports.mail.send(receipt);
        throw new Error('connection lost after the letter was taken');
      },
    };
    expect(await bench.deliver(body, { definition, world: { gate: openGate({ ...ports, mail }) } })).toMatchObject({
      action: 'hand-back',
      outcome: 'retry',
    });
    bench.clock.advance(60_000);
    expect(await bench.deliver(body, { definition })).toMatchObject({ action: 'ack', outcome: 'committed', facts: { attempt: 2 } });
    expect(bench.mails).toHaveLength(1);
  });

  // B06
  test('with another amount under the same key is refused and not sent', async () => {
    const bench = createWorkerBench();
    await bench.deliver(body, { definition });
    const other = messageOf(definition, { ...payload, amountMinor: 999_900 });
    expect(await bench.deliver(other, { definition })).toMatchObject({
      action: 'ack',
      outcome: 'dead-lettered',
      facts: { code: 'payload-mismatch' },
    });
    expect(bench.mails).toHaveLength(1);
    expect(bench.item(item)).toMatchObject({ 'op:run': { status: 'completed' }, message: body });
  });
});
