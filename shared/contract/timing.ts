import { LEASE_GRACE_MS } from './limits.ts';

/** What a job kind says about its own speed. Everything else about time is derived from it. */
export interface JobTiming {
  /** 99th percentile of a healthy run. */
  readonly p99Ms: number;
  /** Longest wait for one answer of the dependency before the outcome counts as unknown. */
  readonly dependencyTimeoutMs: number;
  /** Time kept in hand to settle the item and hand the message back. */
  readonly marginMs: number;
  /** Long work reports progress at least this often; its lease spans three reports instead of the whole function. */
  readonly heartbeatMs?: number | undefined;
}

export interface DerivedTiming extends JobTiming {
  readonly functionTimeoutSeconds: number;
  readonly leaseDurationMs: number;
  readonly visibilityTimeoutSeconds: number;
  /** With less function time than this left, a job is handed back untouched. */
  readonly minimumRemainingMs: number;
}

/** A dependency may be asked twice in one run: once what happened before, once to act. */
const CALLS_PER_RUN = 2;
/** AWS asks for at least six times the function timeout, plus the batching window. */
const VISIBILITY_PER_FUNCTION_TIMEOUT = 6;

/**
 * @param timing what the job kind declares, in milliseconds
 * @param options.scale multiplies every declared duration; below 1 only where waiting is pointless (stage `local`)
 * @param options.batchingWindowSeconds longest time the mapping collects a batch
 * @throws RangeError when the numbers contradict each other
 */
export function deriveTiming(timing: JobTiming, { scale = 1, batchingWindowSeconds = 0 } = {}): DerivedTiming {
  const p99Ms = timing.p99Ms * scale;
  const dependencyTimeoutMs = timing.dependencyTimeoutMs * scale;
  const marginMs = timing.marginMs * scale;
  const functionTimeoutSeconds = Math.ceil((CALLS_PER_RUN * dependencyTimeoutMs + p99Ms + marginMs) / 1000);
  const derived: DerivedTiming = {
    p99Ms,
    dependencyTimeoutMs,
    marginMs,
    functionTimeoutSeconds,
    ...(timing.heartbeatMs === undefined ? {} : { heartbeatMs: timing.heartbeatMs * scale }),
    leaseDurationMs: functionTimeoutSeconds * 1000 + LEASE_GRACE_MS,
    visibilityTimeoutSeconds: functionTimeoutSeconds * VISIBILITY_PER_FUNCTION_TIMEOUT + batchingWindowSeconds,
    minimumRemainingMs: dependencyTimeoutMs + marginMs,
  };
  assertTiming(derived, batchingWindowSeconds);
  return derived;
}

/** Provider timeout < function timeout < lease ≤ visibility timeout; asserted at synth and at cold start. */
export function assertTiming(timing: DerivedTiming, batchingWindowSeconds = 0): void {
  const functionTimeoutMs = timing.functionTimeoutSeconds * 1000;
  const rules: [boolean, string][] = [
    [timing.dependencyTimeoutMs > 0 && timing.p99Ms > 0 && timing.marginMs > 0, 'p99, dependency timeout and margin are positive'],
    [timing.dependencyTimeoutMs + timing.marginMs <= functionTimeoutMs, 'dependency timeout plus margin fits into the function timeout'],
    [timing.functionTimeoutSeconds <= 900, 'function timeout is at most 900 s (Lambda)'],
    [functionTimeoutMs < timing.leaseDurationMs, 'function timeout is shorter than the lease'],
    [timing.leaseDurationMs <= timing.visibilityTimeoutSeconds * 1000, 'lease is not longer than the visibility timeout'],
    [
      timing.visibilityTimeoutSeconds >= VISIBILITY_PER_FUNCTION_TIMEOUT * timing.functionTimeoutSeconds + batchingWindowSeconds,
      'visibility timeout is at least six function timeouts plus the batching window',
    ],
    [timing.visibilityTimeoutSeconds <= 43_200, 'visibility timeout is at most 12 hours (SQS)'],
  ];
  const broken = rules.filter(([holds]) => !holds).map(([, rule]) => rule);
  if (broken.length > 0) throw new RangeError(`timing does not hold: ${broken.join('; ')} (${JSON.stringify(timing)})`);
}
