import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { dispatch, type OutgoingMessage } from '#shared/outbox/dispatch.ts';
import { job } from '#shared/worker/define-job.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const adjustment = (sku: string, number: number): OutgoingMessage => ({
  message: outboxMessage(job(adjustStock, { sku, adjustmentId: String(number), delta: number }), 0),
  recordIndex: number,
});
const receipt = (number: number): OutgoingMessage => ({
  message: outboxMessage(
    job(sendReceipt, { userId: 'u-1', orderId: String(number), attempt: 1, amountMinor: 1, currency: 'EUR', captureId: 'c' }),
    0,
  ),
  recordIndex: number,
});
const numbers = (messages: readonly OutgoingMessage[]): number[] => messages.map(({ recordIndex }) => recordIndex);

function createBench() {
  const clock = createVirtualClock();
  const aws = createFakeAws({ now: clock.nowMs });
  const queueUrls = {
    'adjust-stock': aws.sqs.createQueue({ QueueName: 'stock.fifo', Attributes: { FifoQueue: 'true' } }),
    'send-receipt': aws.sqs.createQueue({ QueueName: 'receipts' }),
  };
  const sender = createQueueSender(new SQSClient({ ...aws.clientConfig, maxAttempts: 1 } as SQSClientConfig));
  return {
    aws,
    clock,
    send: (...outgoing: OutgoingMessage[]) => dispatch(outgoing, queueUrls, sender, clock.sleep, (message) => fifoIds(message, jobOfKind)),
    queued: () =>
      aws.sqs
        .messages('stock.fifo')
        .map(({ body }) => (JSON.parse(body) as { payload: { sku: string; delta: number } }).payload)
        .map(({ sku, delta }) => `${sku} ${delta}`),
  };
}
type Entry = { Id: string; MessageBody: string; MessageGroupId?: string; MessageDeduplicationId?: string; DelaySeconds?: number };
const entriesOf = (input: { Entries: Entry[] }): Entry[] => input.Entries;
const holds = ({ MessageBody }: Entry, sku: string, delta: number): boolean =>
  MessageBody.includes(`"sku":"${sku}"`) && MessageBody.includes(`"delta":${delta}}`);

describe('messages of a FIFO kind', () => {
  test('go out in their order, with group and deduplication id, and without a delay', async () => {
    const bench = createBench();
    const { sent } = await bench.send(adjustment('a', 1), adjustment('b', 2), receipt(3), adjustment('a', 4));
    expect(numbers(sent).sort()).toEqual([1, 2, 3, 4]);
    expect(bench.queued()).toEqual(['a 1', 'b 2', 'a 4']);
    const entries = bench.aws.calls.flatMap(({ input }) => entriesOf(input));
    for (const { MessageGroupId, MessageDeduplicationId, DelaySeconds, MessageBody } of entries) {
      expect(DelaySeconds).toBeUndefined();
      expect(MessageGroupId).toBe(
        MessageBody.includes('adjust-stock') ? (JSON.parse(MessageBody) as { payload: { sku: string } }).payload.sku : undefined,
      );
      if (MessageGroupId !== undefined) expect(MessageDeduplicationId).toMatch(/^[a-z0-9]{1,128}$/);
    }
  });

  test('are one message however often the same outbox is carried out', async () => {
    const bench = createBench();
    await bench.send(adjustment('a', 1), adjustment('a', 2));
    await bench.send(adjustment('a', 1), adjustment('a', 2));
    expect(bench.queued()).toEqual(['a 1', 'a 2']);
  });

  test('wait behind one that was not taken, while other groups go on and the record is named', async () => {
    const bench = createBench();
    bench.aws.fault = ({ input }) => {
      const failing = entriesOf(input).filter((entry) => holds(entry, 'a', 2));
      return failing.length === 0
        ? undefined
        : { failedEntries: Object.fromEntries(failing.map(({ Id }) => [Id, { Code: 'InternalError' }])) };
    };
    const { sent, unsent, refused } = await bench.send(
      adjustment('a', 1),
      adjustment('a', 2),
      adjustment('b', 3),
      adjustment('a', 4),
      adjustment('b', 5),
    );
    expect(bench.queued()).toEqual(['a 1', 'b 3', 'b 5']);
    expect([numbers(sent), numbers(unsent), numbers(refused)]).toEqual([[1, 3, 5], [2, 4], []]);
  });

  test('that fail for a moment are sent at the next try, before the ones behind them', async () => {
    const bench = createBench();
    let failures = 2;
    bench.aws.fault = ({ input }) => {
      const failing = entriesOf(input).filter((entry) => holds(entry, 'a', 1));
      return failing.length === 0 || failures-- <= 0 ? undefined : { failedEntries: { [failing[0]?.Id ?? '']: { Code: 'InternalError' } } };
    };
    const { unsent } = await bench.send(adjustment('a', 1), adjustment('a', 2));
    expect(unsent).toEqual([]);
    expect(bench.queued()).toEqual(['a 1', 'a 2']);
  });

  test('whose answer was lost are not doubled by the next try', async () => {
    const bench = createBench();
    let lost = 1;
    bench.aws.fault = () => (lost-- > 0 ? 'apply-then-lose-answer' : undefined);
    const { unsent } = await bench.send(adjustment('a', 1), adjustment('a', 2));
    expect(unsent).toEqual([]);
    expect(bench.queued()).toEqual(['a 1', 'a 2']);
  });

  test('refused for good are set aside and hold nobody up', async () => {
    const bench = createBench();
    bench.aws.fault = ({ input }) => {
      const failing = entriesOf(input).filter((entry) => holds(entry, 'a', 1));
      return failing.length === 0
        ? undefined
        : { failedEntries: { [failing[0]?.Id ?? '']: { Code: 'InvalidMessageContents', SenderFault: true } } };
    };
    const { sent, refused } = await bench.send(adjustment('a', 1), adjustment('a', 2));
    expect([numbers(sent), numbers(refused)]).toEqual([[2], [1]]);
  });

  test('cost one call for as many groups as fit into it', async () => {
    const bench = createBench();
    await bench.send(...Array.from({ length: 20 }, (_, index) => adjustment(`sku-${index % 10}`, index + 1)));
    expect(bench.aws.calls.map(({ input }) => entriesOf(input).length)).toEqual([10, 10]);
  });
});

test('messages of other kinds go out in as few calls as before', async () => {
  const bench = createBench();
  const { sent } = await bench.send(...Array.from({ length: 25 }, (_, index) => receipt(index + 1)));
  expect(numbers(sent)).toHaveLength(25);
  expect(bench.aws.calls.map(({ input }) => entriesOf(input).length)).toEqual([10, 10, 5]);
});
