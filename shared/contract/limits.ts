/** A message is small on purpose: it names work, it does not carry it. */
export const MAX_MESSAGE_BYTES = 16 * 1024;

/** Nesting allowed in a request or message body; deeper ones are refused before they are looked at. */
export const MAX_JSON_DEPTH = 8;

/** A request body; larger ones are answered 400. */
export const MAX_REQUEST_BYTES = 16 * 1024;

/** Runs that may reach the provider. The first plus one for each delay of the schedule (shared/retry/schedule.ts). */
export const MAX_ATTEMPTS = 6;

/** What a duplicate gets back is stored on the item it belongs to, so it stays small. */
export const MAX_RESULT_BYTES = 256;

/** Finished operations one order may hold; keeps the item within two write units. */
export const MAX_OPERATIONS_PER_ORDER = 8;

/** The lease outlives the function by this much, so that a timed-out run never meets its successor. */
export const LEASE_GRACE_MS = 2_000;

/** SQS redrives only what our code never ran: a net, not a counter. */
export const MAX_RECEIVE_COUNT = 1_000;

/** Longest time a message may live in a queue, and a letter in its dead-letter queue (SQS maximum). */
export const QUEUE_RETENTION_DAYS = 14;

/** A job's own item outlives queue, dead-letter queue and one replay: 14 + 14 + 14 days, rounded up. */
export const OWN_ITEM_RETENTION_DAYS = 45;
