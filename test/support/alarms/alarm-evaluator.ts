import { evaluateMath, type Series } from './metric-math.ts';

/** One value that was written, in the words of the account it was written in. */
export interface Sample {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly atMs: number;
  readonly value: number;
}

interface MetricStat {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: string;
  readonly periodMs: number;
}

/** An alarm as CloudWatch would hold it. */
export interface AlarmDefinition {
  readonly id: string;
  readonly metrics: Readonly<Record<string, MetricStat>>;
  readonly expression: string;
  readonly periodMs: number;
  readonly threshold: number;
  /** It goes off below the threshold, and silence counts as below. */
  readonly whenSilent: boolean;
  readonly datapointsToAlarm: number;
  readonly evaluationPeriods: number;
}

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape CloudFormation decides
type Properties = Readonly<Record<string, any>>;

const SILENT = 'LessThanThreshold breaching';
const SORTS: readonly string[] = ['GreaterThanOrEqualToThreshold notBreaching', SILENT];

/**
 * @param nameOf what a dimension's value (a reference, in the template) is called in the account that was measured
 * @throws Error for an alarm this cannot judge
 */
export function readAlarm(id: string, properties: Properties, nameOf: (value: unknown) => string): AlarmDefinition {
  const sort = `${properties['ComparisonOperator']} ${properties['TreatMissingData']}`;
  if (!SORTS.includes(sort)) throw new Error(`${id}: an alarm of the sort "${sort}" is not understood`);
  const stat = (metric: Properties, statistic: string, periodSeconds: number): MetricStat => ({
    namespace: metric['Namespace'],
    name: metric['MetricName'],
    dimensions: Object.fromEntries(
      (metric['Dimensions'] ?? []).map(({ Name, Value }: { Name: string; Value: unknown }) => [Name, nameOf(Value)]),
    ),
    statistic,
    periodMs: periodSeconds * 1000,
  });
  const queries = (properties['Metrics'] ?? []) as readonly Properties[];
  const metrics: Record<string, MetricStat> =
    queries.length === 0
      ? { plain: stat(properties, properties['Statistic'], properties['Period']) }
      : Object.fromEntries(
          queries.flatMap(({ Id, MetricStat: one }) => (one === undefined ? [] : [[Id, stat(one.Metric, one.Stat, one.Period)] as const])),
        );
  return {
    id,
    metrics,
    expression: queries.find(({ ReturnData }) => ReturnData !== false)?.['Expression'] ?? 'plain',
    periodMs: Object.values(metrics)[0]?.periodMs ?? Number.NaN,
    threshold: properties['Threshold'],
    whenSilent: sort === SILENT,
    datapointsToAlarm: properties['DatapointsToAlarm'] ?? properties['EvaluationPeriods'],
    evaluationPeriods: properties['EvaluationPeriods'],
  };
}

/**
 * When an alarm was in ALARM, judged at the end of every period by what had come in by then.
 *
 * Does not protect against what CloudWatch does beyond its documentation: it may look at more periods than it has to, and late data.
 *
 * @returns the ends of the periods at which it was, epoch milliseconds
 */
export function inAlarmAt(alarm: AlarmDefinition, samples: readonly Sample[]): number[] {
  const { periodMs, evaluationPeriods, datapointsToAlarm, threshold } = alarm;
  const byPeriod = Object.fromEntries(Object.entries(alarm.metrics).map(([id, stat]) => [id, statisticByPeriod(stat, samples)] as const));
  // Silence is heard from the first to the last of all that was said by anybody.
  const said = samples.map(({ atMs }) => Math.floor(atMs / periodMs));
  const known = alarm.whenSilent ? said : Object.values(byPeriod).flatMap((values) => [...values.keys()]);
  if (known.length === 0) return [];
  const [earliest, latest] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))];
  const [first, end] = alarm.whenSilent ? [earliest + evaluationPeriods, latest] : [earliest, latest + evaluationPeriods];
  const alarming: number[] = [];
  for (let period = first; period < end; period++) {
    const window = Array.from({ length: evaluationPeriods }, (_, index) => period - evaluationPeriods + 1 + index);
    const series = Object.fromEntries(
      Object.entries(byPeriod).map(([id, values]) => [id, window.map((each) => values.get(each))] as const satisfies [string, Series]),
    );
    const values = evaluateMath(alarm.expression, series, evaluationPeriods);
    const isBeyond = (value: number | undefined): boolean =>
      alarm.whenSilent ? value === undefined || value < threshold : value !== undefined && value >= threshold;
    if (values.filter(isBeyond).length >= datapointsToAlarm) alarming.push((period + 1) * periodMs);
  }
  return alarming;
}

const STATISTICS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  Sum: (values) => values.reduce((sum, value) => sum + value, 0),
  Maximum: (values) => values.reduce((most, value) => Math.max(most, value)),
};

/** @throws Error for a statistic this cannot compute */
function statisticByPeriod(
  { namespace, name, dimensions, statistic, periodMs }: MetricStat,
  samples: readonly Sample[],
): Map<number, number> {
  const compute = STATISTICS[statistic];
  if (compute === undefined) throw new Error(`the statistic ${statistic} is not understood`);
  // A metric is found by all of its dimensions or not at all.
  const wanted = JSON.stringify(Object.entries(dimensions).sort());
  const own = samples.filter(
    (sample) =>
      sample.name === name && sample.namespace === namespace && JSON.stringify(Object.entries(sample.dimensions).sort()) === wanted,
  );
  const grouped = Map.groupBy(own, ({ atMs }) => Math.floor(atMs / periodMs));
  return new Map([...grouped].map(([period, each]) => [period, compute(each.map(({ value }) => value))]));
}
