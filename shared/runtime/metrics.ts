import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Counts that an alarm looks at. Nothing is written while nothing is counted. */
export interface Counter {
  /** Published at once, as one line of embedded metric format. */
  count(name: string, value?: number): void;
}

/** A level, as it is now, of one thing among several of its sort. */
export interface Gauge {
  /** Published at once, as one line of embedded metric format. */
  gauge(name: string, value: number, dimensions: Readonly<Record<string, string>>): void;
}

export const createMetrics = (serviceName: string): Counter & Gauge => {
  const metrics = new Metrics({ namespace: 'Andal', serviceName });
  return {
    count(name, value = 1) {
      metrics.addMetric(name, MetricUnit.Count, value);
      metrics.publishStoredMetrics();
    },
    gauge(name, value, dimensions) {
      const one = metrics.singleMetric();
      one.addDimensions({ ...dimensions });
      one.addMetric(name, MetricUnit.Count, value);
    },
  };
};
