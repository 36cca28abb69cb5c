import { describe, expect, test } from 'vitest';
import type { JobMessage } from '#shared/contract/message.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { exportOrders } from '#shared/jobs/export-orders.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { job } from '#shared/worker/define-job.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { targetOf } from '#shared/worker/job-target.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';

const message = (adjustmentId = 'a-1'): JobMessage => outboxMessage(job(adjustStock, { sku: 'bolt', adjustmentId, delta: 1 }), 0);
const idOf = (...args: [JobMessage, string?]): string | undefined => fifoIds(args[0], jobOfKind, args[1])?.deduplicationId;

describe('a message of a FIFO kind', () => {
  test('goes by its group and by a hash of its key, safe for SQS whatever the key holds', () => {
    expect(fifoIds(message(), jobOfKind)?.group).toBe('bolt');
    expect(idOf({ ...message(), idempotencyKey: '!'.repeat(128) })).toMatch(/^[a-z0-9]{1,128}$/);
    expect(idOf(message())).toBe(idOf(message()));
    expect(idOf(message())).not.toBe(idOf(message('a-2')));
  });

  // A replay within five minutes would otherwise be dropped as a repetition.
  test('sent again on purpose is another one', () => {
    expect(new Set([idOf(message()), idOf(message(), 'm-1'), idOf(message(), 'm-2')]).size).toBe(3);
  });

  test('of a version this code cannot read travels in a group of its own', () => {
    const ids = fifoIds({ ...message(), version: 9, payload: { article: 'bolt' } }, jobOfKind);
    expect(ids).toEqual({ group: ids?.deduplicationId, deduplicationId: idOf(message()) });
  });
});

test.each(['export-orders', 'unheard-of'])('a message of kind %s has neither', (kind) => {
  expect(fifoIds({ ...message(), kind }, jobOfKind)).toBeUndefined();
});

// The stream keeps the order of one partition only.
test('jobs of one group have their own items in one partition; others lie apart', () => {
  const target = (adjustmentId: string) => targetOf(adjustStock, { sku: 'bolt', adjustmentId, delta: 1 }).key;
  expect(target('a-1')).toEqual({ pk: 'JOB#adjust-stock#bolt', sk: 'JOB#adjust:bolt/a-1' });
  expect(target('a-2').pk).toBe(target('a-1').pk);
  expect(targetOf(exportOrders, { userId: 'u-1', exportId: 'e-1', step: 1 }).key).toEqual({
    pk: 'JOB#export-orders#export:u-1/e-1:1',
    sk: 'JOB',
  });
});
