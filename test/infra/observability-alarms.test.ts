import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { beforeAll, describe, expect, it } from 'vitest';
import { jobs } from '#shared/jobs/index.ts';
import { inAlarmAt, type Sample } from '../support/alarms/alarm-evaluator.ts';
import { deployedAlarms } from './deployed-alarms.ts';

// B24
const alarms = deployedAlarms('prod');
const ENTRY = join(import.meta.dirname, '..', 'support', 'alarms', 'measure-failures.ts');
/** Far more than the runs take; a machine may be busy with others. */
const PATIENCE_MS = 240_000;
const QUARTER_HOUR_MS = 15 * 60_000;

interface Measured {
  readonly name: string;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly samples: readonly Sample[];
}

let runs: readonly Measured[] = [];
beforeAll(() => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [ENTRY], { encoding: 'utf8', maxBuffer: 1e9, timeout: PATIENCE_MS });
  if (status !== 0) throw new Error(`the failures were not measured: ${stderr}`);
  const lines = stdout.trim().split('\n');
  runs = lines.map((line) => JSON.parse(line) as Measured);
}, PATIENCE_MS);

const runOf = (failure: string): Measured => {
  const run = runs.find(({ name }) => name === failure);
  if (run === undefined) throw new Error(`nobody measured "${failure}"; there are ${runs.map(({ name }) => name).join(', ')}`);
  return run;
};
const wentOff = ({ samples }: Measured): string[] => alarms.filter((alarm) => inAlarmAt(alarm, samples).length > 0).map(({ id }) => id);

/** What goes off, and (in parentheses) what else may: consequences of the same trouble. */
const EXPECTED: readonly (readonly [failure: string, alarms: readonly string[], others: RegExp])[] = [
  [
    'the provider answers too late',
    [
      'Lag-capture-payment',
      'RetriesSpike-capture-payment',
      'DependencyTimesOut-capture-payment',
      'OutcomeUnknown-capture-payment',
      'CircuitOpen-capture-payment',
    ],
    /-(?:capture|refund)-payment$/,
  ],
  [
    'the provider charges another amount',
    [
      'DeadLetters-capture-payment',
      'DeadLettersGrow-capture-payment',
      'LettersOld-capture-payment',
      'RetriesSpike-capture-payment',
      'Mismatch-capture-payment',
    ],
    /-capture-payment$/,
  ],
  ['no mail is taken', ['RetriesSpike-send-receipt', 'DeadLetters-send-receipt', 'DeadLettersGrow-send-receipt'], /-send-receipt$/],
  ['the queue delivers everything twice', ['DuplicatesRise-capture-payment', 'DuplicatesRise-send-receipt'], /^DuplicatesRise-/],
  ['exports stand still', ['BacklogGrows-export-orders', 'Lag-export-orders'], /-export-orders$/],
  ['pauses and circuits cannot be read', ['DeferredForADay-capture-payment', 'DeferredForADay-export-orders'], /^(?:DeferredForADay|Lag)-/],
  ['newer code writes', ['NewerVersion-send-receipt'], /-send-receipt$/],
  ['streams do not deliver', ['StreamBehind-dispatch-outbox', 'StreamBehind-invalidate-cache'], /^StreamBehind-/],
  ['queues take no job', ['OutboxParked', 'Lag-outbox-failed'], /outbox-failed$/],
  [
    'the cache is down',
    ['InvalidationFails', 'CacheFails', 'Lag-invalidation-retry', 'DeadLetters-invalidation-retry', 'DeadLettersGrow-invalidation-retry'],
    /-invalidation-retry$/,
  ],
  ['the cache holds what the table does not', ['CacheMismatch'], /^$/],
  [
    'the schedules are switched off',
    ['ScheduleStopped-govern-queues', 'ScheduleStopped-rescue-jobs', 'ScheduleStopped-sweep-state', 'ScheduleStopped-verify-cache'],
    /^$/,
  ],
  ['jobs are lost and an item cannot be read', ['RescueNeedsAPerson', 'JobsWereLost'], /^$/],
];

describe('a run in which nothing goes wrong', () => {
  it('raises no alarm', () => {
    expect(runOf('nothing').samples.length).toBeGreaterThan(500);
    expect(wentOff(runOf('nothing'))).toEqual([]);
  });
});

describe.each(EXPECTED)('while %s', (failure, expected, others) => {
  it(`goes off: ${expected.join(', ')}`, () => {
    expect(wentOff(runOf(failure))).toEqual(expect.arrayContaining([...expected]));
  });

  it('nothing goes off that has nothing to do with it', () => {
    expect(wentOff(runOf(failure)).filter((id) => !expected.includes(id) && !others.test(id))).toEqual([]);
  });
});

describe('what is told before it costs anything', () => {
  const minutesUntil = (failure: string, id: string): number => {
    const { samples, beganAtMs } = runOf(failure);
    const alarm = alarms.find((one) => one.id === id);
    const [first = Number.POSITIVE_INFINITY] = alarm === undefined ? [] : inAlarmAt(alarm, samples);
    return (first - beganAtMs) / 60_000;
  };

  it.each([
    ['no mail is taken', 'RetriesSpike-send-receipt', 10],
    ['the provider answers too late', 'RetriesSpike-capture-payment', 10],
    ['the provider answers too late', 'DependencyTimesOut-capture-payment', 10],
    ['the provider answers too late', 'CircuitOpen-capture-payment', 15],
    ['the provider answers too late', 'Lag-capture-payment', 15],
  ])('while %s, %s goes off within %i minutes', (failure, id, minutes) => {
    expect(minutesUntil(failure, id)).toBeLessThanOrEqual(minutes);
  });

  it('retries are a spike long before they are letters', () => {
    const failure = 'no mail is taken';
    expect(minutesUntil(failure, 'RetriesSpike-send-receipt')).toBeLessThan(minutesUntil(failure, 'DeadLetters-send-receipt') - 60);
  });
});

describe('every alarm there is', () => {
  const ruleOf = (id: string): string => id.split('-')[0] ?? '';

  it('follows from a rule that one of these failures sets off', () => {
    const driven = new Set(EXPECTED.flatMap(([, ids]) => ids.map(ruleOf)));
    expect([...new Set(alarms.map(({ id }) => ruleOf(id)))].filter((rule) => !driven.has(rule))).toEqual([]);
  });

  it.each(jobs.map(({ kind, dependency }) => [kind, dependency] as const))('is there for %s as for the kinds above', (kind, dependency) => {
    const rules = ['Lag', 'DeadLetters', 'DeadLettersGrow', 'LettersOld', 'RetriesSpike', 'DuplicatesRise', 'BacklogGrows'];
    const waiting = ['DeferredForADay', 'NewerVersion'];
    const outside = dependency === undefined ? [] : ['DependencyTimesOut', 'OutcomeUnknown', 'CircuitOpen', 'Mismatch'];
    const own = alarms.filter(({ id }) => id.endsWith(`-${kind}`)).map(({ id }) => ruleOf(id));
    expect(own.sort()).toEqual([...rules, ...waiting, ...outside].sort());
  });

  it('is off again once a failure is over', () => {
    const { samples, endedAtMs } = runOf('the queue delivers everything twice');
    const late = (atMs: number): boolean => atMs > endedAtMs - QUARTER_HOUR_MS;
    for (const alarm of alarms) expect(inAlarmAt(alarm, samples).filter(late), alarm.id).toEqual([]);
  });
});
