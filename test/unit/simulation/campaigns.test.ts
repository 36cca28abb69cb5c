import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { countTests } from '../../../scripts/count-tests.ts';
import { breakagesIn, playCampaign } from '../../simulation/modes/campaign.ts';
import { type Exhaustive, exhaustiveCases, safetyCases } from '../../simulation/modes/cases.ts';
import { seedOfCommit } from '../../simulation/modes/commit-seed.ts';
import { addToCorpus, readCorpus } from '../../simulation/modes/corpus.ts';
import { createCoverage, serviceOf } from '../../simulation/modes/coverage.ts';
import { readOptions } from '../../simulation/modes/options.ts';
import { plannedFaults } from '../../simulation/modes/planned-faults.ts';
import { failureLines, hasFailed, type Verdict, verdictText } from '../../simulation/modes/report.ts';
import { commandOf, type Play, type Played, type RunCase, type Struck } from '../../simulation/modes/run-case.ts';
import { shrink } from '../../simulation/modes/shrink.ts';
import { writeTestReport } from '../../simulation/modes/test-report.ts';
import { leftOut } from '../../simulation/modes/without-orders.ts';
import type { Fault } from '../../simulation/network/fault.ts';

const directory = mkdtempSync(join(tmpdir(), 'andal-campaigns-'));
afterAll(() => rmSync(directory, { recursive: true }));

const played = (runCase: RunCase, more: Partial<Played> = {}): Played => ({
  runCase,
  story: 'told',
  hash: 'abc',
  broken: [],
  struck: [],
  situations: {},
  met: {},
  possible: {},
  events: 1,
  virtualMs: 1,
  ...more,
});
const broken = (invariant: string) => ({ invariant, promise: 'a promise', how: 'so', afterMs: 61_500 });
const struckAt = (at: number, fault: Fault): Struck => ({ at, label: 'worker claim State', nth: at + 1, fault });

/** A run of ten points of one name and two orders; it breaks S1 when a fault strikes the fourth and a later one, and order 1 is placed. */
const simulated: Play = async (runCase) => {
  const plan = plannedFaults(runCase.faults ?? []);
  const points = Array.from({ length: 10 }, (_, index) => ({ index, label: 'worker claim State', atMs: index }));
  const struck = points.flatMap((point) => {
    const fault = plan.at(point, ['dropped', 'throttled']);
    return fault === undefined ? [] : [struckAt(point.index, fault)];
  });
  const isBroken = struck.some(({ at }) => at === 3) && struck.some(({ at }) => at > 5) && !(runCase.withoutOrders ?? []).includes(1);
  return played(runCase, {
    struck,
    broken: isBroken ? [broken('S1')] : [],
    points: points.map(() => ['dropped', 'throttled']),
    situations: Object.fromEntries((runCase.withoutOrders ?? []).filter((number) => number < 3).map((number) => [leftOut(number), 1])),
  });
};

const all = async (cases: AsyncGenerator<RunCase | Played, void>): Promise<RunCase[]> => {
  const list: RunCase[] = [];
  for await (const one of cases) list.push('runCase' in one ? one.runCase : one);
  return list;
};

test('plays the plain run and then each fault at each of its points', async () => {
  const cases = await all(exhaustiveCases(simulated, 5, {}));
  expect(cases[0]).toEqual({ mode: 'exhaustive', seed: 5, faults: [] });
  expect(cases).toHaveLength(1 + 10 * 2);
  expect(new Set(cases.map((one) => JSON.stringify(one.faults))).size).toBe(21);
});

test('plays each pair once: the second fault comes after the first, at a point of the run with the first', async () => {
  const pairs = (await all(exhaustiveCases(simulated, 5, { pairs: {} }))).filter(({ faults }) => faults?.length === 2);
  expect(pairs).toHaveLength(((10 * 9) / 2) * 4);
  for (const { faults = [] } of pairs) expect((faults[0] as { at: number }).at).toBeLessThan((faults[1] as { at: number }).at);
});

test('draws the same sample of pairs each time, and no more than asked for', async () => {
  const sampled = () => all(exhaustiveCases(simulated, 5, { pairs: { sample: 12 } }));
  const first = await sampled();
  expect(await sampled()).toEqual(first);
  const pairs = first.filter(({ faults }) => faults?.length === 2);
  expect(pairs.length).toBeGreaterThan(6);
  expect(pairs.length).toBeLessThanOrEqual(12);
});

test('draws each pair of a sample once', async () => {
  const everything = (await all(exhaustiveCases(simulated, 5, { pairs: { sample: 5_000 } }))).filter(({ faults }) => faults?.length === 2);
  expect(new Set(everything.map(({ faults }) => JSON.stringify(faults))).size).toBe(everything.length);
  expect(everything).toHaveLength(((10 * 9) / 2) * 4);
});

describe('parts of everything', () => {
  const parts = async (of: number, options: Exhaustive): Promise<string[][]> => {
    const found: string[][] = [];
    for (let number = 1; number <= of; number++)
      found.push((await all(exhaustiveCases(simulated, 5, { ...options, part: { number, of } }))).map((one) => JSON.stringify(one)));
    return found;
  };

  it.each([
    ['single faults', {}],
    ['pairs', { pairs: {} }],
    ['a sample of pairs', { pairs: { sample: 12 } }],
  ])('hold each case once, together all of them: %s', async (_, options) => {
    const whole = (await all(exhaustiveCases(simulated, 5, options))).map((one) => JSON.stringify(one));
    for (const count of [1, 2, 4, 7]) expect((await parts(count, options)).flat().sort()).toEqual([...whole].sort());
  });

  it('are about as long as each other', async () => {
    const lengths = (await parts(4, { pairs: {} })).map(({ length }) => length);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(20);
    expect((await parts(4, {})).map(({ length }) => length)).toEqual([6, 5, 5, 5]);
  });
});

test('shrinks a broken run to the faults and orders that break it', async () => {
  const faults = Array.from({ length: 10 }, (_, at) => ({ at, fault: 'dropped' }));
  const whole = await simulated({ mode: 'safety', seed: 9, faults });
  const shrunk = await shrink(whole, 'S1', simulated);
  expect(shrunk?.played.struck.map(({ at }) => at)).toEqual([3, 9]);
  expect(shrunk?.runCase.withoutOrders).toEqual([2]);
  expect(shrunk && (await simulated(shrunk.runCase)).broken).toHaveLength(1);
});

test('tries first whether it takes any fault at all', async () => {
  const always: Play = async (runCase) => ({ ...(await simulated(runCase)), broken: [broken('L1')] });
  const faults = Array.from({ length: 10 }, (_, at) => ({ at, fault: 'dropped' }));
  const shrunk = await shrink(await always({ mode: 'safety', seed: 9, faults }), 'L1', always);
  expect(shrunk?.played.struck).toEqual([]);
  expect(shrunk?.tried).toBeLessThanOrEqual(5);
});

test('leaves out no orders where a job of one kind is played in place of customers', async () => {
  const faults = Array.from({ length: 10 }, (_, at) => ({ at, fault: 'dropped' }));
  const own = { kind: 'send-receipt', payload: {} };
  const shrunk = await shrink(await simulated({ mode: 'safety', seed: 9, faults, own }), 'S1', simulated);
  expect(shrunk?.played.struck.map(({ at }) => at)).toEqual([3, 9]);
  expect(shrunk?.runCase.withoutOrders).toBeUndefined();
});

test('leaves a run alone whose faults alone do not repeat it', async () => {
  const elsewhere = played({ mode: 'safety', seed: 9 }, { broken: [broken('S1')], struck: [struckAt(1, 'dropped')] });
  expect(await shrink(elsewhere, 'S1', simulated)).toBeUndefined();
});

test('prints a command that plays exactly the same run', () => {
  const cases: RunCase[] = [
    { mode: 'safety', seed: 7 },
    { mode: 'safety', seed: 7, rate: 0.3, skew: false, faults: [{ at: 12, fault: 'crash-after' }], withoutOrders: [2, 3] },
    { mode: 'exhaustive', seed: 1, skew: true, faults: [] },
    { mode: 'liveness', seed: 3, frozen: 'provider:unavailable' },
  ];
  for (const runCase of cases) {
    const [, args = ''] = commandOf(runCase).split(' -- ');
    const options = readOptions(['node', 'simulate', ...args.split(' ')]);
    expect(options.mode).toEqual([runCase.mode]);
    expect(options.seed).toBe(runCase.seed);
    expect([options.rate, options.skew, options.faults, options.withoutOrders, options.class]).toEqual([
      runCase.rate,
      runCase.skew,
      runCase.faults,
      runCase.withoutOrders,
      runCase.frozen,
    ]);
  }
});

test('tells of a broken promise all that is needed to repeat it', () => {
  const run = played({ mode: 'exhaustive', seed: 11, faults: [] }, { broken: [broken('S1')] });
  const text = failureLines({ played: run, promises: run.broken, times: 1, shrunk: undefined, lines: ['1.0 it happened'] }).join('\n');
  for (const part of ['S1', 'a promise', 'so', '1 min 1.500 s', 'seed 11', '--mode exhaustive', 'it happened'])
    expect(text).toContain(part);
});

test('shows each broken promise once, by the first run that broke it', () => {
  const runs = [
    played({ mode: 'safety', seed: 8 }, { broken: [broken('S1'), broken('S2')] }),
    played({ mode: 'safety', seed: 4 }, { broken: [broken('S1')] }),
  ];
  expect(breakagesIn(runs).map(({ played: { runCase }, promises }) => [runCase.seed, promises.map(({ invariant }) => invariant)])).toEqual([
    [4, ['S1']],
    [8, ['S2']],
  ]);
});

const verdictOn = async (play: Play, isLargeEnough: boolean): Promise<Verdict> => {
  const campaign = await playCampaign(safetyCases({ from: 1, runs: 3 }, {}), { play, jobs: 2 });
  const missing = campaign.coverage.missing();
  return {
    title: 'three',
    campaign,
    failures: [],
    missing,
    isLargeEnough,
    unproved: [],
    tried: undefined,
    tookMs: 1,
    showsTrace: false,
  };
};

test('fails a large campaign in which something never happened, and names it', async () => {
  const play: Play = async (runCase) =>
    played(runCase, { possible: { 'worker claim State': ['dropped'] }, met: { 'worker claim State': 4 } });
  const small = await verdictOn(play, false);
  expect(hasFailed(small)).toBe(false);
  const large = await verdictOn(play, true);
  expect(hasFailed(large)).toBe(true);
  expect(verdictText(large)).toContain('fault dropped at table State');
  expect(verdictText(large)).toContain('situation: lease lost mid-capture');
});

test('counts a fault that struck and a situation that came about as met', () => {
  const coverage = createCoverage();
  coverage.add(
    played(
      { mode: 'safety', seed: 1 },
      {
        struck: [struckAt(0, 'dropped')],
        possible: { 'worker claim State': ['dropped'] },
        situations: { 'lease lost mid-capture': 1 },
      },
    ),
  );
  expect(coverage.missing()).not.toContain('fault dropped at table State');
  expect(coverage.missing()).not.toContain('situation: lease lost mid-capture');
});

test('knows the service of every kind of point', () => {
  expect(
    ['execute-job/capture-payment capture at the provider', 'accept-order accept State', 'rescue-jobs mark in a transaction'].map(
      serviceOf,
    ),
  ).toEqual(['provider', 'table State', 'table State']);
  expect(serviceOf('dispatch-outbox SendMessageBatch capture-payment')).toBe('queues');
  expect(serviceOf('mapping takes capture-payment')).toBe('queue mappings');
});

test('stops a campaign that breaks again and again', async () => {
  const play: Play = async (runCase) => played(runCase, { broken: [broken('S1')] });
  const campaign = await playCampaign(safetyCases({ from: 1, runs: 5_000 }, {}), { play, jobs: 2 });
  expect(campaign.stopped).toBe(true);
  expect(campaign.runs).toBeLessThan(100);
});

test('stops a campaign soon whose runs hang, for each takes as long as it may', async () => {
  const play: Play = async (runCase) => played(runCase, { broken: [broken('hangs')] });
  const campaign = await playCampaign(safetyCases({ from: 1, runs: 5_000 }, {}), { play, jobs: 1 });
  expect(campaign.stopped).toBe(true);
  expect(campaign.runs).toBeLessThan(6);
});

test('leaves its counts where the check reads them', () => {
  const file = join(directory, 'report.json');
  writeTestReport(file, { passed: 40, failed: 0 });
  expect(countTests(file, 0)).toEqual({ passed: 40, failed: 0 });
  writeTestReport(file, { passed: 38, failed: 2 });
  expect(countTests(file, 1)).toEqual({ passed: 38, failed: 2 });
});

test('keeps a run in the corpus and reads it back', () => {
  const entry = {
    about: 'a late worker committed',
    invariant: 'S7',
    runCase: { mode: 'safety', seed: 42, faults: [{ at: 3, fault: 'late' }] },
  } as const;
  const file = addToCorpus({ ...entry, runCase: { ...entry.runCase, faults: [...entry.runCase.faults] } }, directory);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(entry);
  rmSync(join(directory, 'report.json'), { force: true });
  expect(readCorpus(directory)).toEqual([entry]);
});

test('every entry of the corpus can be read', () => {
  expect(() => readCorpus()).not.toThrow();
});

test('draws fresh seeds for each commit and the same ones for one commit', () => {
  const seedOf = (commit: string): number => seedOfCommit(() => commit);
  expect(seedOf('f8d0a90')).toBe(seedOf('f8d0a90'));
  expect(seedOf('f8d0a90')).not.toBe(seedOf('c96f899'));
  const withoutRepository = (): string => {
    throw new Error('not a repository');
  };
  expect(seedOfCommit(withoutRepository)).toBe(seedOfCommit(withoutRepository));
});
