import { describe, expect, it } from 'vitest';
import type { Item, OrderScan } from '../../../cli/aws/items.ts';
import { formatStatus } from '../../../cli/explain/format-status.ts';
import { type QueueStatus, statusOf } from '../../../cli/explain/status.ts';

const NOW_MS = Date.UTC(2026, 10, 30);
const MINUTE_MS = 60_000;
const emptyQueue: QueueStatus = {
  name: 'capture-payment',
  waiting: 0,
  inFlight: 0,
  delayed: 0,
  deadLetters: 0,
  oldestLetterAtMs: null,
};
const order = (orderId: string, rest: Item = {}): Item => ({
  pk: 'USER#u-1',
  sk: `ORDER#${orderId}`,
  userId: 'u-1',
  orderId,
  status: 'paid',
  createdAtMs: NOW_MS - 10 * MINUTE_MS,
  lease: 'free',
  'op:capture:1': { status: 'completed' },
  ...rest,
});
const pending = (orderId: string, rest: Item = {}): Item =>
  order(orderId, { status: 'pending_payment', 'op:capture:1': undefined, ...rest });
const look = (orders: Item[], { queues = [emptyQueue], ...scan }: Partial<OrderScan> & { queues?: QueueStatus[] } = {}) => {
  const status = statusOf('local', queues, { orders, failedJobs: [], truncated: false, ...scan }, { nowMs: NOW_MS });
  return { ...status, text: formatStatus(status) };
};
const DONE = 'All work is done.';

const discarded = { 'op:capture:1': { status: 'discarded', reason: 'attempts-exhausted' } };
const marked = (overdueAtMs: number): Item => ({ overdueShard: '0', overdueAtMs, lastError: 'provider-unavailable' });

describe('the status', () => {
  it('names a queue that is not there, and shows all the others', () => {
    const queues: QueueStatus[] = [emptyQueue, { ...emptyQueue, name: 'export-orders', missing: true }];
    const { done, text } = look([order('o-1')], { queues });
    expect(done).toBe(false);
    expect(text).toContain('A queue of export-orders is not there: deploy the stage again');
    expect(text).toContain('capture-payment');
  });

  it('says that all work is done when every order has ended and every queue is empty', () => {
    const { done, text, attention } = look([order('o-1'), order('o-2', { status: 'payment_declined' })]);
    expect({ done, first: attention.first }).toEqual({ done: true, first: [] });
    expect(text).toContain(DONE);
  });

  it.each([
    ['discarded', pending('o-9', discarded), 'Given up, for a person to decide', 'capture:1 (attempts-exhausted)'],
    ['discarded', order('o-9', discarded), 'Given up, for a person to decide', 'capture:1 (attempts-exhausted)'],
    ['overdue', pending('o-9', marked(NOW_MS)), 'Should have run again', 'last error: provider-unavailable'],
    ['overdue', order('o-9', { overdueShard: '0' }), 'Should have run again', ''],
    ['no-message', pending('o-9'), 'no queue holds a message', ''],
    ['no-message', pending('o-9', marked(NOW_MS + MINUTE_MS)), 'no queue holds a message', 'last error: provider-unavailable'],
    ['no-message', order('o-9', { status: 'refund_pending' }), 'no queue holds a message', ''],
  ])('names an order in trouble (%s) and the command that explains it', (trouble, item, sentence, detail) => {
    const { done, attention, text } = look([order('o-1'), item]);
    expect(done).toBe(false);
    expect(attention.counts).toMatchObject({ [trouble]: 1 });
    expect(attention.first).toEqual([{ name: 'u-1/o-9', order: 'u-1/o-9', trouble, detail }]);
    expect(text).toContain(sentence);
    expect(text).toContain('npm run andal -- explain u-1/o-9');
    expect(text).not.toContain(DONE);
  });

  it('names a job without an order of its own, by the order its key tells', () => {
    const job = { pk: 'JOB#send-receipt#receipt:u-1/o-7:1', sk: 'JOB', 'op:run': { status: 'discarded', reason: 'mail-refused' } };
    const { done, text } = look([order('o-7')], { failedJobs: [job] });
    expect(done).toBe(false);
    expect(text).toContain('send-receipt receipt:u-1/o-7:1');
    expect(text).toMatch(/npm run andal -- explain u-1\/o-7$/m);
  });

  it.each([
    ['a message waits', pending('o-1'), { ...emptyQueue, waiting: 1 }],
    ['a message is delayed', pending('o-1'), { ...emptyQueue, delayed: 1 }],
    ['a worker holds the order', pending('o-1', { lease: 'held' }), emptyQueue],
    ['the order is so young that its message is still on its way', pending('o-1', { createdAtMs: NOW_MS - 1_000 }), emptyQueue],
    ['a new payment attempt of an old order is that young', pending('o-1', { intentAtMs: NOW_MS - 1_000 }), emptyQueue],
  ])('says that work is under way while %s', (_, item, queue) => {
    const { done, text, attention } = look([item], { queues: [queue] });
    expect({ done, first: attention.first }).toEqual({ done: false, first: [] });
    expect(text).toContain('Work is under way.');
  });

  it('tells a failed order that will run again from one that should have', () => {
    const { attention, text } = look([pending('o-1', marked(NOW_MS + MINUTE_MS))], { queues: [{ ...emptyQueue, delayed: 1 }] });
    expect(attention.counts).toEqual({ discarded: 0, overdue: 0, 'no-message': 0, retrying: 1 });
    expect(text).toContain('Failed and will run again: 1.');
  });

  it('names the worst first and only a few, and counts them all', () => {
    const many = Array.from({ length: 30 }, (_, index) => pending(`wait-${index}`));
    const { attention, text } = look([...many, pending('o-9', discarded)]);
    expect(attention.counts).toMatchObject({ discarded: 1, 'no-message': 30 });
    expect(attention.first[0]?.name).toBe('u-1/o-9');
    expect(text.match(/andal -- explain/g)).toHaveLength(5);
  });

  it('never calls the work done beside dead letters, or for orders it has not looked at', () => {
    const letters = look([order('o-1')], { queues: [{ ...emptyQueue, deadLetters: 2 }] });
    expect([letters.done, letters.text.includes(DONE)]).toEqual([false, false]);
    const part = look([order('o-1')], { truncated: true });
    expect([part.done, part.text.includes(DONE)]).toEqual([false, false]);
    expect(part.text).toContain('for the first 1 orders');
  });
});
