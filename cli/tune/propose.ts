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
  /** What each declared time should be, and the measurement behind it. */
  readonly values: readonly ProposedValue[];
}

export interface ProposedValue {
  /** As the code calls it. */
  readonly name: string;
  readonly now: number;
  /** Null: keep it. */
  readonly proposed: number | null;
  readonly because: string;
}

/** The slowest of a hundred has then been seen three times. */
export const LEAST_RUNS = 300;
/** Tomorrow is slower than today. */
const HEADROOM = 1.5;
const LOOSE = 4;
/** A call cut off that would have been answered is an unknown outcome, so it is waited for much longer than a healthy run takes. */
const TIMEOUT_PER_P99 = 5;
const SHORTEST_TIMEOUT_MS = 3_000;
/** A settle, its repetition by the SDK, and the hand-back. */
const CALLS_IN_MARGIN = 3;

/** @param timeScale multiplies what is declared, where the stage shortens time; measured times are real ones */
export function propose({ kind, timing, queue }: AnyJobDefinition, measured: Measured, timeScale: number): Proposal {
  const options = { scale: timeScale, batchingWindowSeconds: queue.batchingWindowSeconds ?? 0 };
  const known = { kind, measured, declared: timing, inForce: deriveTiming(timing, options) };
  const nothing = { proposed: null, derived: null, edit: null };
  const { p99Ms, longestMs, healthyRuns } = measured;
  if (healthyRuns < LEAST_RUNS || p99Ms === null || longestMs === null) {
    const because = `${healthyRuns} healthy runs, ${LEAST_RUNS} are needed`;
    const values = [...NAMES].map((name) => ({ name, now: timing[name], proposed: null, because }));
    return { ...known, verdict: 'too-little-data', ...nothing, values };
  }
  const verdict = verdictOn(timing.p99Ms, (p99Ms * HEADROOM) / timeScale);
  const proposed = proposeTiming(timing, { ...measured, p99Ms, longestMs }, timeScale);
  const values = [...NAMES].map((name) => judged(name, timing, proposed, measured));
  if (values.every((value) => value.proposed === null)) return { ...known, verdict, ...nothing, values };
  return { ...known, verdict, proposed, derived: deriveTiming(proposed, options), edit: editOf(kind, proposed), values };
}

const NAMES = ['p99Ms', 'dependencyTimeoutMs', 'marginMs'] as const;

const verdictOn = (declaredMs: number, neededMs: number): 'fits' | 'too-tight' | 'too-loose' =>
  neededMs > declaredMs ? 'too-tight' : neededMs * LOOSE < declaredMs ? 'too-loose' : 'fits';

type Enough = Measured & { readonly p99Ms: number; readonly longestMs: number };

/** Left as it is declared: what fits, and what too little was measured of. */
function proposeTiming(timing: JobTiming, measured: Enough, timeScale: number): JobTiming {
  const neededMs = (measured.p99Ms * HEADROOM) / timeScale;
  const fits = verdictOn(timing.p99Ms, neededMs) === 'fits';
  const p99Ms = fits ? timing.p99Ms : roundUp(neededMs, 100);
  return {
    ...timing,
    p99Ms,
    dependencyTimeoutMs: timeoutFor(timing, measured, { p99Ms, fits, timeScale }),
    marginMs: marginFor(timing, measured, timeScale),
  };
}

/** From the calls themselves where enough were noted, else from whole runs, which take longer. */
function timeoutFor(
  { dependencyTimeoutMs, heartbeatMs }: JobTiming,
  { calls, callP99Ms, callLongestMs, longestMs }: Enough,
  { p99Ms, fits, timeScale }: { p99Ms: number; fits: boolean; timeScale: number },
): number {
  const wait = (perCallMs: number, seenMs: number): number =>
    roundUp(Math.max(SHORTEST_TIMEOUT_MS, TIMEOUT_PER_P99 * perCallMs, seenMs), 500);
  if (calls >= LEAST_RUNS && callP99Ms !== null && callLongestMs !== null) {
    const neededMs = wait((callP99Ms * HEADROOM) / timeScale, callLongestMs / timeScale);
    return verdictOn(dependencyTimeoutMs, neededMs) === 'fits' ? dependencyTimeoutMs : neededMs;
  }
  // A long job's calls are short: what it waits for one of them says nothing about how long it runs.
  return fits || heartbeatMs !== undefined ? dependencyTimeoutMs : wait(p99Ms, longestMs / timeScale);
}

/** Time for the last write and the hand-back: kept unless writes are so slow that it would not do. */
function marginFor({ marginMs }: JobTiming, { writes, writeP99Ms }: Measured, timeScale: number): number {
  if (writes < LEAST_RUNS || writeP99Ms === null) return marginMs;
  return Math.max(marginMs, roundUp((CALLS_IN_MARGIN * writeP99Ms * HEADROOM) / timeScale, 500));
}

function judged(name: (typeof NAMES)[number], timing: JobTiming, proposed: JobTiming, measured: Measured): ProposedValue {
  return {
    name,
    now: timing[name],
    proposed: proposed[name] === timing[name] ? null : proposed[name],
    because: becauseOf(name, measured),
  };
}

function becauseOf(
  name: (typeof NAMES)[number],
  { healthyRuns, p99Ms, calls, callP99Ms, callLongestMs, writes, writeP99Ms }: Measured,
): string {
  const ms = (value: number | null): string => `${Math.round(value ?? 0)} ms`;
  if (name === 'p99Ms') return `p99 of ${healthyRuns} runs ${ms(p99Ms)}`;
  if (name === 'dependencyTimeoutMs')
    return calls < LEAST_RUNS
      ? `${calls} calls noted: judged by whole runs`
      : `p99 of ${calls} calls ${ms(callP99Ms)}, longest ${ms(callLongestMs)}`;
  return writes < LEAST_RUNS ? `${writes} writes noted, ${LEAST_RUNS} are needed` : `p99 of ${writes} writes ${ms(writeP99Ms)}`;
}

const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;

function editOf(kind: string, { p99Ms, dependencyTimeoutMs, marginMs, heartbeatMs }: JobTiming): string {
  const parts = { p99Ms, dependencyTimeoutMs, marginMs, ...(heartbeatMs === undefined ? {} : { heartbeatMs }) };
  const text = Object.entries(parts).map(([name, ms]) => `${name}: ${ms.toLocaleString('en').replaceAll(',', '_')}`);
  return `shared/jobs/${kind}.ts: timing: { ${text.join(', ')} },`;
}
