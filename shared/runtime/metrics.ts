import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Counts that an alarm looks at. Nothing is written while nothing is counted. */
export interface Counter {
  /** Published at once, as one line of embedded metric format. */
  count(name: string, value?: number): void;
}

export const createMetrics = (serviceName: string): Counter => {
  const metrics = new Metrics({ namespace: 'Andal', serviceName });
  return {
    count(name, value = 1) {
      metrics.addMetric(name, MetricUnit.Count, value);
      metrics.publishStoredMetrics();
    },
  };
};
