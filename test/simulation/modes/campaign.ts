import type { Cases } from './cases.ts';
import { type Coverage, createCoverage } from './coverage.ts';
import type { Pool } from './pool.ts';
import type { BrokenPromise, Played, RunCase } from './run-case.ts';

export interface Campaign {
  readonly runs: number;
  /** Runs that broke a promise. */
  readonly failures: readonly Played[];
  /** Left before its end, because so many runs were broken that more would say nothing new. */
  readonly stopped: boolean;
  readonly struck: number;
  readonly points: number;
  readonly events: number;
  readonly virtualMs: number;
  readonly coverage: Coverage;
  /** The last run, of which a campaign of one shows the hash. */
  readonly last: Played | undefined;
}

const MOST_FAILURES = 25;
/** Each of these takes as long as one run may take. */
const MOST_HANGING = 3;

/** Plays all cases, as many at a time as the pool has workers. @param onRun told after each run */
export async function playCampaign(
  cases: Cases,
  pool: Pick<Pool, 'play' | 'jobs'>,
  onRun: (campaign: Campaign) => void = () => undefined,
): Promise<Campaign> {
  const failures: Played[] = [];
  const campaign = {
    runs: 0,
    failures,
    stopped: false,
    struck: 0,
    points: 0,
    events: 0,
    virtualMs: 0,
    coverage: createCoverage(),
    last: undefined as Played | undefined,
  };
  const count = (played: Played): void => {
    campaign.runs++;
    campaign.struck += played.struck.length;
    campaign.points += Object.values(played.met).reduce((sum, times) => sum + times, 0);
    campaign.events += played.events;
    campaign.virtualMs += played.virtualMs;
    campaign.last = played;
    campaign.coverage.add(played);
    if (played.broken.length > 0) failures.push(played);
    onRun(campaign);
  };
  const underWay = new Set<Promise<void>>();
  for await (const next of cases) {
    if (isPlayed(next)) {
      count(next);
      continue;
    }
    const run: Promise<void> = pool.play(next).then((played) => {
      underWay.delete(run);
      count(played);
    });
    underWay.add(run);
    if (underWay.size >= pool.jobs) await Promise.race(underWay);
    campaign.stopped = failures.length >= MOST_FAILURES || failures.filter(hasHung).length >= MOST_HANGING;
    if (campaign.stopped) break;
  }
  await Promise.all(underWay);
  return campaign;
}

const hasHung = ({ broken }: Played): boolean => broken.some(({ invariant }) => invariant === 'hangs');

const isPlayed = (next: RunCase | Played): next is Played => 'runCase' in next;

/** A broken promise with the first run that broke it, and what else that run broke first. */
export interface Breakage {
  readonly played: Played;
  /** Of those that no earlier run broke; the first of them in the run leads. */
  readonly promises: readonly BrokenPromise[];
}

/** The fewest runs that show every broken promise, by seed; what stays broken for hours is a matter of each class by itself. */
export function breakagesIn(failures: readonly Played[]): Breakage[] {
  const known = new Set<string>();
  const inOrder = [...failures].sort((left, right) => left.runCase.seed - right.runCase.seed);
  return inOrder.flatMap((played) => {
    const nameOf = ({ invariant }: BrokenPromise): string => `${invariant} ${played.runCase.frozen ?? ''}`;
    const promises = played.broken.filter((broken) => !known.has(nameOf(broken)));
    for (const broken of promises) known.add(nameOf(broken));
    return promises.length === 0 ? [] : [{ played, promises }];
  });
}
