import { type DerivedTiming, deriveTiming, type JobTiming } from '#shared/contract/timing.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import type { Measured } from './measure.ts';

export type Verdict =
  /** Too few runs to say anything about the slowest of a hundred. */
  | 'too-little-data'
  | 'fits'
  /** Healthy runs come close to what is declared: some would be cut off, or waited for too briefly. */
  | 'too-tight'
  /** A dead worker's job, or an unanswered call, is waited for much longer than a healthy run needs. */
  | 'too-loose';

export interface Proposal {
  readonly kind: string;
  readonly measured: Measured;
  readonly verdict: Verdict;
  readonly declared: JobTiming;
  readonly inForce: DerivedTiming;
  /** Null unless something should change. */
  readonly proposed: JobTiming | null;
  /** What follows from the proposal: function timeout, lease, visibility timeout. */
  readonly derived: DerivedTiming | null;
  /** The line of the kind's file as it should read. */
  readonly edit: string | null;
}

/** The slowest of a hundred has then been seen three times. */
export const LEAST_RUNS = 300;
/** Tomorrow is slower than today. */
const HEADROOM = 1.5;
const LOOSE = 4;
/** A call cut off that would have been answered is an unknown outcome, so it is waited for much longer than a healthy run takes. */
const TIMEOUT_PER_P99 = 5;
const SHORTEST_TIMEOUT_MS = 3_000;

/** @param timeScale multiplies what is declared, where the stage shortens time; measured times are real ones */
export function propose({ kind, timing, queue }: AnyJobDefinition, measured: Measured, timeScale: number): Proposal {
  const options = { scale: timeScale, batchingWindowSeconds: queue.batchingWindowSeconds ?? 0 };
  const known = { kind, measured, declared: timing, inForce: deriveTiming(timing, options) };
  const nothing = { proposed: null, derived: null, edit: null };
  const { p99Ms, longestMs, healthyRuns } = measured;
  if (healthyRuns < LEAST_RUNS || p99Ms === null || longestMs === null) return { ...known, verdict: 'too-little-data', ...nothing };
  const neededMs = (p99Ms * HEADROOM) / timeScale;
  const verdict = neededMs > timing.p99Ms ? 'too-tight' : neededMs * LOOSE < timing.p99Ms ? 'too-loose' : 'fits';
  if (verdict === 'fits') return { ...known, verdict, ...nothing };
  const proposed = proposeTiming(timing, neededMs, longestMs / timeScale);
  return { ...known, verdict, proposed, derived: deriveTiming(proposed, options), edit: editOf(kind, proposed) };
}

function proposeTiming(timing: JobTiming, neededMs: number, longestMs: number): JobTiming {
  const p99Ms = roundUp(neededMs, 100);
  const dependencyTimeoutMs = roundUp(Math.max(SHORTEST_TIMEOUT_MS, TIMEOUT_PER_P99 * p99Ms, longestMs), 500);
  // A long job's calls are short: what it waits for one of them says nothing about how long it runs.
  return { ...timing, p99Ms, dependencyTimeoutMs: timing.heartbeatMs === undefined ? dependencyTimeoutMs : timing.dependencyTimeoutMs };
}

const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;

function editOf(kind: string, { p99Ms, dependencyTimeoutMs, marginMs, heartbeatMs }: JobTiming): string {
  const parts = { p99Ms, dependencyTimeoutMs, marginMs, ...(heartbeatMs === undefined ? {} : { heartbeatMs }) };
  const text = Object.entries(parts).map(([name, ms]) => `${name}: ${ms.toLocaleString('en').replaceAll(',', '_')}`);
  return `shared/jobs/${kind}.ts: timing: { ${text.join(', ')} },`;
}
