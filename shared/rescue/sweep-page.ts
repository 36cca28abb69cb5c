import type { ItemImage } from '#shared/item/attributes.ts';
import { readWork } from './derive-work.ts';
import type { FollowUp, ImpliedJob, ImpliedWork } from './implied-work.ts';
import { openScheduledAttempt } from './open-scheduled-attempt.ts';
import type { Pacer } from './pacer.ts';
import type { RescueWorld } from './rescue-item.ts';
import { sendJobs } from './send-jobs.ts';
import { isQuiet, isWorthFollowing } from './timing.ts';

export interface SweepWorld extends Omit<RescueWorld, 'visibilityTimeoutMs'> {
  readonly clock: { nowMs(): number; sleep(durationMs: number): Promise<void> };
}

export interface PageTally {
  readonly looked: number;
  readonly sent: number;
  /** By SQS for good, or of a kind this code knows no queue for. */
  readonly refused: number;
  readonly heldBack: number;
  readonly attemptsOpened: number;
  readonly unreadable: number;
}

/** A read of one small item. */
const READ_UNITS_OF_ITEM = 1;

/**
 * Sends what the items of one page call for and have not got by themselves for half an hour.
 *
 * @throws when the table gave no answer or the queues did not take the jobs: the page is to be swept again
 */
export async function sweepPage(
  items: readonly ItemImage[],
  world: SweepWorld,
  { pacer, occasion }: { pacer: Pacer; occasion: string },
): Promise<PageTally> {
  const nowMs = world.clock.nowMs();
  const quiet = items.filter((image) => isQuiet(image, nowMs, world.timeScale));
  const works = quiet.map((image) => readWork(image, world.keyHorizonMs));
  const known = works.filter((work) => work !== undefined);
  const followUps = known.flatMap((work) => work.followUps).filter(({ sinceMs }) => isWorthFollowing(sinceMs, nowMs));
  const jobs = [...known.flatMap((work) => work.jobs), ...(await neverBegun(followUps, world, pacer))];
  const open = await openJobs(jobs, world);
  const { sent, refused, unsent } = await sendJobs(
    open.map((job) => ({ job, occasion })),
    world.queueUrls,
    world.sender,
  );
  if (unsent > 0) throw new Error(`${unsent} rescued job(s) were not accepted by their queues; the page is swept again`);
  const attemptsOpened = await openScheduledAttempts(known, world);
  return {
    looked: items.length,
    sent,
    refused,
    heldBack: jobs.length - open.length,
    attemptsOpened,
    unreadable: works.length - known.length,
  };
}

/** The job's own item decides: once there is one, the job began, and its own item sees to its end. */
async function neverBegun(followUps: readonly FollowUp[], { store }: SweepWorld, pacer: Pacer): Promise<ImpliedJob[]> {
  const missing: ImpliedJob[] = [];
  for (const { job, ownItem } of followUps) {
    await pacer.ready();
    pacer.spend(READ_UNITS_OF_ITEM);
    if ((await store.read(ownItem)) === undefined) missing.push(job);
  }
  return missing;
}

async function openJobs(jobs: readonly ImpliedJob[], world: SweepWorld): Promise<ImpliedJob[]> {
  const kinds = [...new Set(jobs.map(({ message }) => message.kind))];
  const closed = new Set<string>();
  for (const kind of kinds) if (await world.isClosedFor(kind)) closed.add(kind);
  return jobs.filter(({ message }) => !closed.has(message.kind));
}

async function openScheduledAttempts(works: readonly ImpliedWork[], world: SweepWorld): Promise<number> {
  let opened = 0;
  for (const { scheduledAttempt } of works) {
    if (scheduledAttempt === undefined || scheduledAttempt.atMs > world.clock.nowMs()) continue;
    if ((await openScheduledAttempt(scheduledAttempt, world)).kind === 'new') opened++;
  }
  return opened;
}
