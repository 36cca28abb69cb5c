import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRIC_NAMESPACE, METRIC_UNITS, type MetricName } from '#shared/contract/metric-names.ts';

/** What was measured in one run, of one thing. */
export interface Measured {
  /** Few values each: every combination that was ever written is paid for as a metric of its own. */
  readonly dimensions: { readonly kind?: string; readonly errorClass?: string };
  /** Several values of one metric are a distribution. */
  readonly values: Readonly<Partial<Record<MetricName, number | readonly number[]>>>;
}

/**
 * The members that make a line of the log a line of metrics, too (embedded metric format): what is measured costs no line of its
 * own. A zero is left out, for it would be paid for; who reads the metric takes what is missing for zero.
 *
 * Never throws: nothing that was committed comes again because it could not be counted.
 */
export type Measure = (measured: Measured) => Record<string, unknown>;

/** CloudWatch takes no more values of one metric from one line. */
const MAX_VALUES = 100;

export function createMetrics(serviceName: string): Measure {
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName });
  // The function's name is known from its log group; as a dimension it would multiply the metrics.
  metrics.clearDefaultDimensions();
  return ({ dimensions, values }) => {
    const measured = Object.entries(values).map(([name, value]) => [name as MetricName, valuesOf(value)] as const);
    const known = measured.filter(([, each]) => each.length > 0);
    if (known.length === 0) return {};
    try {
      metrics.addDimensions({ ...dimensions });
      for (const [name, each] of known) for (const one of each) metrics.addMetric(name, METRIC_UNITS[name] ?? MetricUnit.Count, one);
      return { ...metrics.serializeMetrics() };
    } catch {
      return { metricsLost: known.map(([name]) => name) };
    } finally {
      // Serialized and cleared in one go: nothing of one run is left for the next.
      metrics.clearMetrics();
      metrics.clearDimensions();
    }
  };
}

function valuesOf(value: number | readonly number[]): readonly number[] {
  if (typeof value === 'number') return Number.isFinite(value) && value !== 0 ? [value] : [];
  return value.filter(Number.isFinite).slice(0, MAX_VALUES - 1);
}
