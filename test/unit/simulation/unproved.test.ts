import { describe, expect, it } from 'vitest';
import { playCampaign } from '../../simulation/modes/campaign.ts';
import { readOptions } from '../../simulation/modes/options.ts';
import { hasFailed, type Verdict, verdictDocument, verdictText } from '../../simulation/modes/report.ts';
import { OWN_JOB_DONE } from '../../simulation/modes/required-situations.ts';
import type { Played, RunCase } from '../../simulation/modes/run-case.ts';
import { countTried } from '../../simulation/modes/tried.ts';
import { createPlans, unprovedBy } from '../../simulation/modes/unproved.ts';
import { leftOut } from '../../simulation/modes/without-orders.ts';

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
const run = (seed: number, more: Partial<RunCase> = {}): RunCase => ({ mode: 'safety', seed, ...more });

/** The verdict on runs that went so, whatever they were asked for. */
async function verdictOn(args: readonly string[], runs: readonly Played[]): Promise<Verdict> {
  const given = readOptions(['node', 'simulate', ...args]);
  const [plans, tried] = [createPlans(), countTried(given)];
  async function* cases() {
    yield* runs;
  }
  const pool = { play: () => Promise.reject(new Error('nothing is played')), jobs: 1 };
  const campaign = await playCampaign(cases(), pool, ({ last }) => {
    if (last !== undefined) plans.add(last);
    if (last !== undefined) tried.add(last);
  });
  return {
    title: 'a campaign',
    campaign,
    failures: [],
    missing: [],
    isLargeEnough: false,
    unproved: unprovedBy(given, campaign, { plans, tried: tried.counts }),
    tried: tried.counts,
    tookMs: 1_000,
    showsTrace: given.trace === true,
  };
}

const endOf = (verdict: Verdict): string => verdictText(verdict).split('\n').at(-1) ?? '';

describe('a job of one kind', () => {
  const RECEIPT = ['--kind', 'send-receipt', '--payload', '{}'];
  const CAPTURE = ['--kind', 'capture-payment', '--payload', '{}'];
  const givenUp = { 'letter: order-not-found': 2 };
  const done = { [OWN_JOB_DONE]: 1 };

  it('that is never done proves nothing, in one run as in many, and the reason is told', async () => {
    const one = await verdictOn(RECEIPT, [played(run(1), { situations: givenUp })]);
    expect(hasFailed(one)).toBe(true);
    expect(endOf(one)).toContain(
      'In 1 run the job was never done: it was given up 2 times (order-not-found). Nothing was proved about what send-receipt does',
    );
    const five = await verdictOn(
      RECEIPT,
      [1, 2, 3, 4, 5].map((seed) => played(run(seed), { situations: givenUp })),
    );
    expect(hasFailed(five)).toBe(true);
    expect(endOf(five)).toContain('In 5 runs the job was never done: it was given up 10 times (order-not-found)');
    expect(verdictDocument(five)).toMatchObject({ ok: false, unproved: [expect.stringContaining('never done')] });
    expect(endOf(await verdictOn(RECEIPT, [played(run(1))]))).toContain('it came to no end at all');
  });

  it('that is done says in how many runs', async () => {
    const verdict = await verdictOn(RECEIPT, [played(run(1), { situations: done }), played(run(2), { situations: givenUp })]);
    expect(hasFailed(verdict)).toBe(false);
    expect(endOf(verdict)).toContain('2 runs, 0 broken promises; the job was done in 1 of them');
  });

  it('that stands behind a provider and never calls it proves nothing about that', async () => {
    const silent = await verdictOn(CAPTURE, [played(run(1), { situations: done })]);
    expect(hasFailed(silent)).toBe(true);
    expect(endOf(silent)).toContain('capture-payment was done without one call of its payment-provider');
    expect(hasFailed(await verdictOn(CAPTURE, [played(run(1), { situations: { ...done, 'provider answers 200': 1 } })]))).toBe(false);
  });

  it('whose every run broke a promise is told by that alone', async () => {
    const broken = [{ invariant: 'L1', promise: 'it ends', how: 'so', afterMs: 1 }];
    expect((await verdictOn(RECEIPT, [played(run(1), { broken })])).unproved).toEqual([]);
  });
});

describe('faults that are planned', () => {
  const label = 'worker claim State';
  const struck = [{ at: 3, label, nth: 2, fault: 'late' } as const];
  const points = [[], [], ['dropped'], ['late']] as const;
  const verdictOf = (faults: string, more: Partial<Played> = {}) =>
    verdictOn(
      ['--seed', '1', '--faults', faults],
      [
        played(run(1, { faults: readOptions(['node', 'simulate', '--faults', faults]).faults ?? [] }), {
          struck,
          points,
          met: { [label]: 2 },
          ...more,
        }),
      ],
    );

  it('and strike are what was asked for, by number and by name', async () => {
    expect(hasFailed(await verdictOf('3:late'))).toBe(false);
    expect(hasFailed(await verdictOf(`${label}#2:late`))).toBe(false);
    expect(hasFailed(await verdictOf('none', { struck: [] }))).toBe(false);
  });

  it.each([
    ['3:late,2:throttled', '1 of 2 planned faults did not strike: 2:throttled (possible there: dropped). Nothing was proved about it.'],
    ['900:late', '1 of 1 planned fault did not strike: 900:late (the run has 4 points, counted from 0)'],
    ['2:dropped', '2:dropped (the storm was over)'],
    [`${label}#7:late`, 'there are 2 of this point'],
    ['no such point#1:late', 'there is no such point'],
  ])('and do not strike are named: %s', async (faults, sentence) => {
    const verdict = await verdictOf(faults);
    expect(hasFailed(verdict)).toBe(true);
    expect(endOf(verdict)).toContain(sentence);
  });

  it('are not looked for in a run that came to no verdict', async () => {
    expect((await verdictOf('3:late', { hash: '', struck: [] })).unproved).toEqual([]);
  });
});

describe('orders that are left out', () => {
  const ask = (situations: Readonly<Record<string, number>>) =>
    verdictOn(['--seed', '7', '--without-orders', '2,999'], [played(run(7), { situations })]);

  it('and that nobody would have placed are named', async () => {
    const verdict = await ask({ [leftOut(2)]: 1 });
    expect(hasFailed(verdict)).toBe(true);
    expect(endOf(verdict)).toContain('Order 999 is not placed in this run: leaving it out changed nothing.');
    expect(hasFailed(await ask({ [leftOut(2)]: 1, [leftOut(999)]: 4 }))).toBe(false);
  });
});

describe('a part', () => {
  const exhaustive = (faults: number): Played =>
    played(
      { mode: 'exhaustive', seed: 1, faults: Array.from({ length: faults }, (_, at) => ({ at, fault: 'late' })) },
      { struck: Array.from({ length: faults }, (_, at) => ({ at, label: 'x', nth: at + 1, fault: 'late' as const })) },
    );

  it('without a case proves nothing', async () => {
    const verdict = await verdictOn(['--mode', 'exhaustive', '--part', '900/900'], []);
    expect(hasFailed(verdict)).toBe(true);
    expect(endOf(verdict)).toContain('Part 900 of 900 is empty: there are fewer cases than parts.');
    const besides = await verdictOn(['--mode', 'corpus,exhaustive', '--part', '900/900'], [played(run(1))]);
    expect(endOf(besides)).toContain('Part 900 of 900 is empty');
  });

  it('of pairs may begin none, all of them may not', async () => {
    expect(hasFailed(await verdictOn(['--mode', 'exhaustive', '--pairs', '--part', '8/8'], [exhaustive(1)]))).toBe(false);
    const single = await verdictOn(['--mode', 'exhaustive', '--pairs', '--sample', '1'], [exhaustive(0), exhaustive(1)]);
    expect(endOf(single)).toContain('No pair of faults was played.');
  });

  it('is told with its counts, to people and to programs', async () => {
    const verdict = await verdictOn(['--mode', 'exhaustive', '--pairs', '--part', '2/8'], [1, 2, 2].map(exhaustive));
    expect(verdictText(verdict)).toContain('tried in part 2 of 8: 1 single fault, 2 pairs');
    expect(verdictDocument(verdict)).toMatchObject({ tried: { part: { number: 2, of: 8 }, withoutFault: 0, withOne: 1, withTwo: 2 } });
  });
});

describe('a trace that was asked for', () => {
  it('is shown of the one run there is, to programs, too', async () => {
    const verdict = await verdictOn(['--seed', '1', '--trace'], [played(run(1), { lines: ['1.0 it happened'] })]);
    expect(verdictText(verdict)).toContain('1.0 it happened');
    expect(verdictDocument(verdict)).toMatchObject({ trace: ['1.0 it happened'] });
  });

  it('and that no run has, because none is broken, is said to be missing', async () => {
    const verdict = await verdictOn(['--runs', '2', '--trace'], [played(run(1)), played(run(2))]);
    expect(verdictText(verdict)).toContain('No trace is shown: no run broke a promise.');
    expect(hasFailed(verdict)).toBe(false);
  });
});
