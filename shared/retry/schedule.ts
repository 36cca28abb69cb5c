/** Waits between the six attempts. */
export const RETRY_DELAYS_MS = [10_000, 30_000, 120_000, 300_000, 900_000] as const;

/** Longest Retry-After that is honoured; beyond it the provider is asked again sooner. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** Once the schedule is used up and a charge may be out, the provider is asked at this pace. */
const SLOW_ASK_MS = 3_600_000;

export interface RetryPace {
  /** 1 outside stage `local`. */
  readonly scale: number;
  /** At least 0, below 1. */
  readonly fraction: number;
}

/** Waits of a message that was put off double with its age between these. */
const SHORTEST_DEFERRAL_MS = 10_000;
const LONGEST_DEFERRAL_MS = 900_000;

/** Deferred this long, a message is worth an alarm; it is never dead-lettered for it. */
export const DEFERRAL_ALARM_MS = 24 * 3_600_000;

/** 50 to 100 % of a wait, in whole seconds as SQS counts, never zero. */
export const jittered = (delayMs: number, { scale, fraction }: RetryPace): number =>
  Math.max(1, Math.ceil((delayMs * scale * (0.5 + fraction / 2)) / 1000)) * 1000;

/**
 * @param attempt the attempt that failed, counted from 1
 * @param retryAfterMs what the provider asked for
 * @returns milliseconds until the next attempt: the schedule's wait or the provider's, whichever is longer
 */
export function retryDelayMs(attempt: number, pace: RetryPace, retryAfterMs = 0): number {
  const step = RETRY_DELAYS_MS[Math.max(0, attempt - 1)] ?? SLOW_ASK_MS;
  return Math.max(jittered(step, pace), askedMs(retryAfterMs));
}

/**
 * Each wait is about as long as the message has waited so far, so the waits double without anybody counting them.
 *
 * @param ageMs since the message was first received
 */
export function deferralDelayMs(ageMs: number, pace: RetryPace, retryAfterMs = 0): number {
  const step = Math.min(LONGEST_DEFERRAL_MS, Math.max(SHORTEST_DEFERRAL_MS, ageMs / pace.scale));
  return Math.max(jittered(step, pace), askedMs(retryAfterMs));
}

const askedMs = (retryAfterMs: number): number =>
  retryAfterMs > 0 ? Math.ceil(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) / 1000) * 1000 : 0;
