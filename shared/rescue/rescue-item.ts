import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import type { QueueSender } from '#shared/outbox/queue-sender.ts';
import { readWork } from './derive-work.ts';
import type { ImpliedJob, ScheduledAttempt } from './implied-work.ts';
import { moveMarkWrite, removeMarkWrite } from './mark.ts';
import { openScheduledAttempt } from './open-scheduled-attempt.ts';
import { sendJobs } from './send-jobs.ts';
import { heldBackLookMs, isBeingWorkedOn, nextLookMs } from './timing.ts';

export interface RescueWorld {
  readonly store: ItemStore;
  readonly queueUrls: Readonly<Record<string, string>>;
  readonly sender: QueueSender;
  /** Paused, or behind an open circuit: its messages would only be handed back. */
  isClosedFor(kind: string): Promise<boolean>;
  /** Visibility timeout of a kind's queue. */
  visibilityTimeoutMs(kind: string): number;
  readonly keyHorizonMs: number;
  readonly timeScale: number;
  readonly clock: { nowMs(): number };
  readonly random: { token(): string };
}

export type Rescued =
  /** The index told of a mark that is no more. */
  | 'late'
  /** Somebody else changed the item between reading and writing. */
  | 'lost'
  | 'sent'
  | 'not-sent'
  | 'held-back'
  | 'waiting'
  | 'mark-removed'
  | 'attempt-opened'
  | 'attempt-not-opened'
  /** The item cannot be read as one of ours; a person has to look. */
  | 'unreadable';

/** What is to become of a due mark. */
interface Plan {
  /** Where the mark goes; undefined: away. */
  readonly markMs: number | undefined;
  readonly send?: readonly ImpliedJob[];
  readonly opens?: ScheduledAttempt;
  /** Unless something is sent or opened. */
  readonly outcome: Rescued;
}

/**
 * One item whose mark has come due: read, move the mark, then do what the item calls for.
 *
 * Does not protect against a message that is only slow: it and its copy meet the same claim, and one of them finds it taken.
 *
 * @throws when the table gave no answer
 */
export async function rescueItem(key: ItemKey, world: RescueWorld): Promise<Rescued> {
  const image = await world.store.read(key);
  const nowMs = world.clock.nowMs();
  const seenMs = image?.overdueAtMs;
  if (image === undefined || typeof seenMs !== 'number' || seenMs > nowMs) return 'late';
  const { markMs, send = [], opens, outcome } = await planFor(image, nowMs, world);
  const write = markMs === undefined ? removeMarkWrite(key, image, seenMs) : moveMarkWrite(key, image, seenMs, markMs);
  if (!(await world.store.write(write)).accepted) return 'lost';
  if (opens !== undefined) return (await openScheduledAttempt(opens, world)).kind === 'new' ? 'attempt-opened' : 'attempt-not-opened';
  if (send.length === 0) return outcome;
  const { sent } = await sendJobs(
    send.map((job) => ({ job, occasion: String(seenMs) })),
    world.queueUrls,
    world.sender,
  );
  return sent === send.length ? 'sent' : 'not-sent';
}

async function planFor(image: ItemImage, nowMs: number, world: RescueWorld): Promise<Plan> {
  const { timeScale, keyHorizonMs } = world;
  const work = readWork(image, keyHorizonMs);
  // It keeps its mark and is looked at more and more rarely, so that it does not stand in the way of others.
  if (work === undefined) return { markMs: nextLookMs(image, nowMs, 0, timeScale), outcome: 'unreadable' };
  const { jobs, scheduledAttempt } = work;
  if (jobs.length > 0) return planForJobs(image, jobs, nowMs, world);
  if (scheduledAttempt === undefined) return { markMs: undefined, outcome: 'mark-removed' };
  if (scheduledAttempt.atMs > nowMs) return { markMs: scheduledAttempt.atMs, outcome: 'waiting' };
  return { markMs: nextLookMs(image, nowMs, 0, timeScale), opens: scheduledAttempt, outcome: 'attempt-not-opened' };
}

async function planForJobs(image: ItemImage, jobs: readonly ImpliedJob[], nowMs: number, world: RescueWorld): Promise<Plan> {
  const { timeScale } = world;
  if (isBeingWorkedOn(image, nowMs)) return { markMs: heldBackLookMs(nowMs, timeScale), outcome: 'waiting' };
  const closed = await Promise.all(jobs.map(({ message }) => world.isClosedFor(message.kind)));
  const send = jobs.filter((_, index) => closed[index] === false);
  if (send.length < jobs.length) return { markMs: heldBackLookMs(nowMs, timeScale), send, outcome: 'held-back' };
  const shortestMs = Math.max(...jobs.map(({ message }) => world.visibilityTimeoutMs(message.kind)));
  return { markMs: nextLookMs(image, nowMs, shortestMs, timeScale), send, outcome: 'not-sent' };
}
