import type { SQSRecord } from 'aws-lambda';
import type { ItemWritten } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import type { JobName } from './item-views.ts';
import { idOf, numberOf } from './item-views.ts';
import { SHORTEST_DEFERRAL_SECONDS } from './wait-bands.ts';

/** Clocks are at most this wrong. */
const SKEW_MS = 5 * 60_000 + 1_000;

interface Delivered {
  readonly id: string;
  readonly slot: string;
  readonly queueName: string;
  readonly atMs: number;
  /** A mapping may deliver it twice under one receipt, to two processes at a time. */
  readonly lastAtMs: number;
}

/**
 * Who may come back sooner than a deferral: a message that found its item held or not due yet, and one that its function had no time
 * left for. Both are told from outside, generously: a job's item may have been held or waiting at any time since the message was
 * delivered.
 *
 * Does not protect against a short wait on a FIFO queue: what is behind another message of its group waits as long as that one.
 */
export function createShortWaits({ jobQueues, world }: Simulation) {
  const delivered = new Map<string, Delivered>();
  const held = new Set<string>();
  const freedAtMs = new Map<string, number>();
  const lastDueMs = new Map<string, number>();
  const untilLateMs = new Map(
    jobQueues.map(({ queueName, functionTimeoutMs, definition: { timing } }) => [
      queueName,
      functionTimeoutMs - timing.dependencyTimeoutMs - timing.marginMs,
    ]),
  );
  return {
    itemWritten({ id, old = {}, next = {}, atMs }: ItemWritten): void {
      if (next['lease'] === 'held') held.add(id);
      else if (held.delete(id) || old['lease'] === 'held') freedAtMs.set(id, atMs);
      for (const name in next) {
        if (!name.startsWith('due:')) continue;
        const slot = `${id} ${name.slice('due:'.length)}`;
        lastDueMs.set(slot, Math.max(lastDueMs.get(slot) ?? 0, numberOf(next, name)));
      }
    },
    delivered(queueName: string, { receiptHandle }: SQSRecord, { item, operation }: JobName): void {
      const atMs = delivered.get(receiptHandle)?.atMs ?? world.nowMs;
      delivered.set(receiptHandle, { id: idOf(item), slot: `${idOf(item)} ${operation}`, queueName, atMs, lastAtMs: world.nowMs });
    },
    slotOf: (receiptHandle: string): string | undefined => delivered.get(receiptHandle)?.slot,
    lastDeliveredAtMs: (receiptHandle: string): number | undefined => delivered.get(receiptHandle)?.lastAtMs,
    isLate(receiptHandle: string): boolean {
      const { queueName = '', atMs = 0 } = delivered.get(receiptHandle) ?? {};
      return world.nowMs - atMs > (untilLateMs.get(queueName) ?? 0);
    },
    /** @returns what nothing explains */
    judge(receiptHandle: string, seconds: number): string | undefined {
      const message = delivered.get(receiptHandle);
      if (seconds >= SHORTEST_DEFERRAL_SECONDS || message === undefined || message.queueName.endsWith('.fifo')) return undefined;
      const { id, slot, atMs } = message;
      const wasHeld = held.has(id) || (freedAtMs.get(id) ?? 0) >= atMs;
      const wasWaiting = (lastDueMs.get(slot) ?? 0) >= atMs - SKEW_MS;
      return wasHeld || wasWaiting || this.isLate(receiptHandle) ? undefined : 'though nobody held it, and nothing was to be waited for';
    },
  };
}
