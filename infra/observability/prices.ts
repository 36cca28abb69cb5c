/**
 * US dollars, list prices of us-east-1, looked up on 2026-11-30; free tiers left out. They are printed on the dashboard with this
 * date: change both together.
 */
export const PRICES = {
  asOf: '2026-11-30',
  region: 'us-east-1',
  writeUnit: 0.000000625,
  readUnit: 0.000000125,
  /** On a standard queue; a FIFO queue's costs a quarter more. */
  queueRequest: 0.0000004,
  /** A GB-second on arm64. */
  gbSecond: 0.0000133334,
  invocation: 0.0000002,
  metricMonth: 0.3,
  alarmMetricMonth: 0.1,
  dashboardMonth: 3,
  keyMonth: 1,
} as const;
