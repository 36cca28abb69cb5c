import { type Chance, createChance, seedFor } from '../kernel/chance.ts';
import type { Fault } from '../network/fault.ts';
import { readCorpus } from './corpus.ts';
import { FROZEN_CLASSES } from './frozen-classes.ts';
import type { Play, Played, RunCase } from './run-case.ts';

/** Runs to be played, one after the other; some are only known once another has been played. */
export type Cases = AsyncGenerator<RunCase | Played, void>;

export interface Seeds {
  readonly from: number;
  readonly runs: number;
}

type Options = Pick<RunCase, 'rate' | 'skew'>;

/** Random weather. */
export async function* safetyCases({ from, runs }: Seeds, options: Options): Cases {
  for (let seed = from; seed < from + runs; seed++) yield { mode: 'safety', seed, ...options };
}

/** Everything that once broke a promise. */
export async function* corpusCases(): Cases {
  for (const { runCase } of readCorpus()) yield runCase as RunCase;
}

/** Each class in turn, or one of them. */
export async function* livenessCases({ from, runs }: Seeds, frozen: string | undefined, options: Pick<RunCase, 'skew'>): Cases {
  const names = frozen === undefined ? FROZEN_CLASSES.map(({ name }) => name) : [frozen];
  for (const name of names) for (let seed = from; seed < from + runs; seed++) yield { mode: 'liveness', seed, frozen: name, ...options };
}

interface Single {
  readonly at: number;
  readonly fault: Fault;
}
const singlesOf = (points: Played['points'], after = -1): Single[] =>
  (points ?? []).flatMap((possible, at) => (at <= after ? [] : possible.map((fault) => ({ at, fault }))));

export interface Pairs {
  /** Left out: all of them. */
  readonly sample?: number;
}

/** One of several parts that hold each case once, together all of them. */
export interface Part {
  /** Counted from 1. */
  readonly number: number;
  readonly of: number;
}

export interface Exhaustive {
  readonly pairs?: Pairs;
  readonly skew?: boolean;
  /** Left out: everything. */
  readonly part?: Part;
}

/**
 * The smallest story without any fault, then with each single fault at each of its points, then (when asked for) with each pair: what
 * comes after a first fault is what that very run does. Parts take turns, pairs going with their first fault: that way they are
 * about as long as each other, and none has to play what another one does (but for the story without any fault).
 */
export async function* exhaustiveCases(play: Play, seed: number, { pairs, skew, part }: Exhaustive): Cases {
  const isOurs = (index: number): boolean => part === undefined || index % part.of === part.number - 1;
  const common = { mode: 'exhaustive', seed, ...(skew === undefined ? {} : { skew }) } as const;
  const plain = await play({ ...common, faults: [] }, { points: true });
  if (isOurs(0)) yield plain;
  const singles = singlesOf(plain.points);
  if (pairs === undefined) {
    for (const [index, single] of singles.entries()) if (isOurs(index + 1)) yield { ...common, faults: [single] };
    return;
  }
  const perSingle = pairs.sample === undefined ? undefined : sharesOf(pairs.sample, singles.length, seed);
  for (const [index, single] of singles.entries()) {
    if (!isOurs(index + 1) || perSingle?.[index] === 0) continue;
    const first = await play({ ...common, faults: [single] }, { points: true });
    yield first;
    const seconds = singlesOf(first.points, single.at);
    const chance = createChance(seedFor(seed, `pairs of ${index}`));
    const chosen = perSingle === undefined ? seconds : drawn(seconds, perSingle[index] ?? 0, chance);
    for (const second of chosen) yield { ...common, faults: [single, second] };
  }
}

/** Each once. */
function drawn(seconds: readonly Single[], times: number, chance: Chance): Single[] {
  const left = [...seconds];
  return Array.from({ length: Math.min(times, left.length) }, () => left.splice(chance.whole(0, left.length - 1), 1)).flat();
}

/** How many pairs each single begins, drawn so that they add up to the sample. */
function sharesOf(sample: number, singles: number, seed: number): number[] {
  const chance = createChance(seedFor(seed, 'pairs'));
  const shares = Array.from({ length: singles }, () => 0);
  for (let pair = 0; pair < sample; pair++) {
    const index = chance.whole(0, singles - 1);
    shares[index] = (shares[index] ?? 0) + 1;
  }
  return shares;
}
