/**
 * US dollars, list prices of us-east-1, looked up on 2026-11-30; free tiers left out. The dashboard, `andal cost` and the bench print
 * them with this date: change both together.
 */
export const PRICES = {
  asOf: '2026-11-30',
  region: 'us-east-1',
  writeUnit: 0.000000625,
  readUnit: 0.000000125,
  storedGbMonth: 0.25,
  /** Continuous backups. */
  backupGbMonth: 0.2,
  /** On a standard queue; a FIFO queue's costs a quarter more. */
  queueRequest: 0.0000004,
  fifoRequest: 0.0000005,
  /** A GB-second on arm64. */
  gbSecond: 0.0000133334,
  invocation: 0.0000002,
  /** A request to an HTTP API. */
  apiRequest: 0.000001,
  /** PUT, COPY, POST, LIST. */
  objectWrite: 0.000005,
  objectRead: 0.0000004,
  /** Taken in by CloudWatch Logs. */
  logGb: 0.5,
  metricMonth: 0.3,
  alarmMetricMonth: 0.1,
  dashboardMonth: 3,
  keyMonth: 1,
  /** ElastiCache Serverless for Valkey. */
  cacheGbHour: 0.084,
  cacheRequest: 0.0000000023,
} as const;
