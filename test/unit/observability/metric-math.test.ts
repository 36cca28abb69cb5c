import { describe, expect, it } from 'vitest';
import { inAlarmAt, readAlarm, type Sample } from '../../support/alarms/alarm-evaluator.ts';
import { evaluateMath } from '../../support/alarms/metric-math.ts';

const series = { a: [1, undefined, 4], b: [2, 5, 0] };

describe('metric math', () => {
  it.each([
    ['1 + 2 * 3', [7, 7, 7]],
    ['(1 + 2) * 3', [9, 9, 9]],
    ['a + b', [3, undefined, 4]],
    ['a / b', [0.5, undefined, undefined]],
    ['FILL(a, 0) - b', [-1, -5, 4]],
    ['a > 1 AND b == 0', [0, undefined, 1]],
    ['a > 1 OR b == 2', [1, undefined, 1]],
    ['DIFF(a)', [undefined, undefined, 3]],
    ['DIFF(b)', [undefined, 3, -5]],
    ['IF(a >= 4, b, 100)', [100, undefined, 0]],
    ['IF(FILL(a, 9) >= 4, 1, 0)', [0, 1, 1]],
  ])('%s', (expression, expected) => expect(evaluateMath(expression, series, 3)).toEqual(expected));

  it.each(['a +', 'c', 'RATE(a)', 'a b', 'FILL(a, 0', 'a ^ 2', 'a["x"]'])('does not guess at %s', (expression) => {
    expect(() => evaluateMath(expression, series, 3)).toThrow(SyntaxError);
  });
});

describe('an alarm', () => {
  const alarm = (given: object) =>
    readAlarm(
      'one',
      {
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        TreatMissingData: 'notBreaching',
        Namespace: 'N',
        MetricName: 'M',
        Dimensions: [{ Name: 'kind', Value: 'k' }],
        Statistic: 'Sum',
        Period: 60,
        Threshold: 3,
        EvaluationPeriods: 3,
        DatapointsToAlarm: 2,
        ...given,
      },
      String,
    );
  const at = (minute: number, value: number, dimensions: Record<string, string> = { kind: 'k' }): Sample => ({
    ...{ namespace: 'N', name: 'M', dimensions, value },
    atMs: minute * 60_000 + 1,
  });

  it('is on while so many of the last periods reach the threshold, and off when they are gone', () => {
    expect(inAlarmAt(alarm({}), [at(10, 3), at(11, 1), at(12, 2), at(12, 1)])).toEqual([13 * 60_000]);
    expect(inAlarmAt(alarm({}), [at(10, 3), at(11, 2), at(11, 1)])).toEqual([12 * 60_000, 13 * 60_000]);
  });

  it('looks at a metric by all of its dimensions', () => {
    const others = [at(10, 9, {}), at(10, 9, { kind: 'k', errorClass: 'bug' }), at(11, 9, { kind: 'other' })];
    expect(inAlarmAt(alarm({ DatapointsToAlarm: 1 }), others)).toEqual([]);
  });

  it.each([{ ComparisonOperator: 'LessThanThreshold' }, { TreatMissingData: 'breaching' }])(
    'that is not understood is not judged: %o',
    (given) => {
      expect(() => alarm(given)).toThrow('understood');
      expect(() => inAlarmAt(alarm({ Statistic: 'Average' }), [at(1, 1)])).toThrow('Average');
    },
  );
});
