import type { LogLine } from '../aws/log-lines.ts';
import { percentile } from './percentile.ts';

/** What the workers of one kind wrote about their runs. */
export interface Measured {
  readonly kind: string;
  readonly runs: number;
  /** Runs whose duration counts: they ended with an answer, the provider's or a person's limit did not cut them short. */
  readonly healthyRuns: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly longestMs: number | null;
  /** Runs cut off by the dependency timeout, as the outcome says. */
  readonly timedOut: number;
  /** Calls of the dependency that were answered, as the workers noted them; a kind without a dependency has none. */
  readonly calls: number;
  readonly callP99Ms: number | null;
  readonly callLongestMs: number | null;
  /** Claims, commits and settles. */
  readonly writes: number;
  readonly writeP99Ms: number | null;
  /** Runs whose dependency failed them, and those it refused for being asked too often. */
  readonly callFailed: number;
  readonly refusedForRate: number;
  /** Put off by the rate limit, and by an open circuit, before anything was tried. */
  readonly rateLimited: number;
  readonly circuitOpen: number;
  /** Most runs that began within one second. */
  readonly mostPerSecond: number;
}

interface LoggedJob {
  readonly outcome?: string;
  readonly code?: string;
  readonly durationMs?: number;
}

/** How a call that got no answer in time is named by the adapters. */
const TIMED_OUT = /timeout|timed-out/;
/** The provider's own word for too many calls; everything else of it is a failure. */
const REFUSED_FOR_RATE = 'provider-rate-limited';
const FAILED = /^provider-(?!rate-limited|rejected-request)/;

/** @param lines the batches of all workers, as they log them */
export function measure(kind: string, lines: readonly LogLine[]): Measured {
  const batches = lines.filter(({ fields }) => fields['message'] === 'batch' && fields['kind'] === kind);
  const [callMs, writeMs] = ['callMs', 'writeMs'].map((name) => batches.flatMap(({ fields }) => numbersIn(fields[name]))) as [
    number[],
    number[],
  ];
  const runs = batches.flatMap(({ atMs, fields }) => jobsIn(fields).map((job) => ({ ...job, beganAtMs: atMs - (job.durationMs ?? 0) })));
  const healthy = runs.flatMap(({ outcome, durationMs }) => (outcome === 'committed' && durationMs !== undefined ? [durationMs] : []));
  const count = (fits: (job: LoggedJob) => boolean): number => runs.filter(fits).length;
  return {
    kind,
    runs: runs.length,
    healthyRuns: healthy.length,
    p50Ms: percentile(healthy, 0.5) ?? null,
    p99Ms: percentile(healthy, 0.99) ?? null,
    longestMs: percentile(healthy, 1) ?? null,
    timedOut: count(({ code = '' }) => TIMED_OUT.test(code)),
    calls: callMs.length,
    callP99Ms: percentile(callMs, 0.99) ?? null,
    callLongestMs: percentile(callMs, 1) ?? null,
    writes: writeMs.length,
    writeP99Ms: percentile(writeMs, 0.99) ?? null,
    callFailed: count(({ code = '' }) => FAILED.test(code)),
    refusedForRate: count(({ code }) => code === REFUSED_FOR_RATE),
    rateLimited: count(({ outcome, code }) => outcome === 'rate-limited' || code === 'rate-limited'),
    circuitOpen: count(({ outcome, code }) => outcome === 'circuit-open' || code === 'circuit-open'),
    mostPerSecond: mostPerSecond(runs.filter(({ outcome }) => outcome === 'committed').map(({ beganAtMs }) => beganAtMs)),
  };
}

const numbersIn = (value: unknown): number[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'number') : []);

const jobsIn = (fields: LogLine['fields']): LoggedJob[] => (Array.isArray(fields['jobs']) ? (fields['jobs'] as LoggedJob[]) : []);

function mostPerSecond(instants: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const instant of instants) counts.set(Math.floor(instant / 1_000), (counts.get(Math.floor(instant / 1_000)) ?? 0) + 1);
  return [...counts.values()].reduce((most, count) => Math.max(most, count), 0);
}
