import { JOB_PREFIX } from '#shared/contract/item-keys.ts';
import { QUEUE_RETENTION_DAYS } from '#shared/contract/limits.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import type { StateScan } from '#shared/rescue/sweep.ts';
import { isFinished } from '#shared/rescue/unfinished.ts';
import type { VersionTally } from './version-tally.ts';

/** The operation's name on a job's own item. */
const OWN_OPERATION = 'run';
const OUTBOX_LIVES_MS = QUEUE_RETENTION_DAYS * 86_400_000;

/**
 * Reads the whole table, a segment beside the other, and changes nothing.
 *
 * @returns items looked at
 */
export async function tallyItems(scan: StateScan, segments: number, tally: VersionTally, nowMs: number): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: segments }, (_, segment) => tallySegment(scan, { segment, segments }, tally, nowMs)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function tallySegment(
  scan: StateScan,
  { segment, segments }: { segment: number; segments: number },
  tally: VersionTally,
  nowMs: number,
): Promise<number> {
  let looked = 0;
  let page = await scan.page(segment, segments);
  for (;;) {
    looked += page.items.length;
    for (const item of page.items) tallyItem(item, tally, nowMs);
    if (page.next === undefined) return looked;
    page = await scan.page(segment, segments, page.next);
  }
}

/**
 * An outbox stays on its item until the next claim, long after it was sent. What is older than any queue keeps a message is a leftover
 * that nothing reads: the stream keeps records a day, parked messages their queue's retention, and the rescue follows thirteen days.
 */
function tallyItem(item: ItemImage, tally: VersionTally, nowMs: number): void {
  const { pk, outbox, outboxAtMs, message } = item;
  if (Array.isArray(outbox) && typeof outboxAtMs === 'number' && nowMs - outboxAtMs < OUTBOX_LIVES_MS)
    for (const entry of outbox) tally.add('outboxes', entry);
  if (typeof message === 'string' && String(pk).startsWith(JOB_PREFIX) && !isFinished(item, OWN_OPERATION))
    tally.add('storedJobs', message);
}
