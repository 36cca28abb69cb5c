/** Every metric of our own, by name. The functions publish them; alarms and dashboard look at them. What each one counts stands in docs/metrics.md. */
export const METRIC_NAMESPACE = 'Andal';

/** Of one job kind: dimension `kind`, nothing else. */
export const KIND_METRICS = {
  jobsDone: 'JobsDone',
  jobsFailed: 'JobsFailed',
  lettersBuried: 'LettersBuried',
  runTime: 'RunTime',
  duplicates: 'Duplicates',
  contended: 'Contended',
  deferred: 'Deferred',
  deferralOverdue: 'DeferralOverdue',
  unsupportedVersion: 'UnsupportedVersion',
  unknownOutcomes: 'UnknownOutcomes',
  unknownAge: 'UnknownAge',
  reconciliationMismatch: 'ReconciliationMismatch',
  dependencyCalls: 'DependencyCalls',
  dependencyTimeouts: 'DependencyTimeouts',
  concurrency: 'Concurrency',
  breakerOpen: 'BreakerOpen',
} as const;

/** Of one job kind and one class of error (functions/execute-job/error-class.ts): dimensions `kind` and `errorClass`. */
export const CLASS_METRICS = { retries: 'Retries', deadLetters: 'DeadLetters' } as const;

/** Of the whole stage: no dimension. */
export const STAGE_METRICS = {
  outboxParked: 'OutboxParked',
  invalidationFailure: 'InvalidationFailure',
  cacheReads: 'CacheReads',
  cacheHits: 'CacheHits',
  cacheFailure: 'CacheFailure',
  cacheVerified: 'CacheVerified',
  cacheMismatch: 'CacheMismatch',
  rescueUnreadable: 'RescueUnreadable',
  rescueFailed: 'RescueFailed',
  mappingForgotten: 'MappingForgotten',
  sweepUnreadable: 'SweepUnreadable',
  sweepRefused: 'SweepRefused',
  sweepFound: 'SweepFound',
} as const;

/** Of stages that send by SES alone; no other has a panel or an alarm for it. */
export const MAIL_SENDER_REFUSED = 'MailSenderRefused';

export const METRICS = { ...KIND_METRICS, ...CLASS_METRICS, ...STAGE_METRICS } as const;
export type MetricName = (typeof METRICS)[keyof typeof METRICS] | typeof MAIL_SENDER_REFUSED;

/** What is measured in something else than times it happened. */
export const METRIC_UNITS: Readonly<Partial<Record<MetricName, 'Milliseconds' | 'Seconds'>>> = {
  [METRICS.runTime]: 'Milliseconds',
  [METRICS.unknownAge]: 'Seconds',
};
