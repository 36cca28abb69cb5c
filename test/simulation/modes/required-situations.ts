/** Of a job of one kind by itself; without it, nothing that the kind does with an answer was tried. */
export const OWN_JOB_DONE = 'the job is done';

/** What a campaign of random runs must have met at least once; named by whoever notes it (modes/situations.ts, checkers, scenarios). */
export const REQUIRED_SITUATIONS: readonly string[] = [
  // The lease.
  'lease taken over',
  'lease lost mid-capture',
  'lease lost mid-refund',
  'a late worker ends after its successor began',
  'a worker that lost its lease is gone',
  // Money.
  'provider: charge',
  'provider: refund',
  'provider: void',
  'unknown resolved as paid',
  'unknown resolved as refunded',
  'the provider asks for a long pause',
  'the provider tells of another currency',
  // The order's ways.
  'order: pending_payment → paid',
  'order: pending_payment → payment_declined',
  'order: payment_declined → pending_payment',
  'order: paid → refund_pending',
  'order: refund_pending → refunded',
  'order: refund_pending → paid',
  // Attempts and letters.
  'a job is tried again',
  'a job has its last attempt',
  'a message is handed back',
  'a message comes again',
  'a batch of several',
  'a batch holds several of one FIFO group',
  // The circuit.
  'breaker open',
  'breaker half-open',
  'breaker closed',
  // The cache.
  'cache filled',
  'cache invalidated',
  'fill lost the race',
  'a fill token was taken over',
  // Nothing is forgotten.
  'rescue-jobs sends a job',
  'sweep-state sends a job',
  'retry-outbox sends a job',
  'outbox-failed gets work',
  'invalidation-retry gets work',
  // People.
  'operator: replay replayed',
  'operator: discard discarded',
  'one key, two bodies',
  'accept-refund answers 409',
  'writers of one item with clocks minutes apart',
  // The account as a whole.
  'disturbance: purge',
  'disturbance: stream-outage',
  'disturbance: restore',
  'disturbance: cache-lost',
  'disturbance: roll-out',
];
