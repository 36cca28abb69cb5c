import type { Standing } from '#shared/breaker/circuit.ts';
import { LEAST_CONCURRENCY, type Mapping } from '#shared/control/mapping-control.ts';

/** Everything that decides how one kind's queue is consumed in the next minute. */
export interface QueueFacts {
  readonly mapping: Mapping;
  /** The definition's own limit. */
  readonly maxConcurrency: number;
  readonly paused: boolean;
  /** The circuit of the kind's dependency; closed for a kind without one. */
  readonly standing: Standing['state'];
  /** How long ago a worker last reported slow calls, in milliseconds; undefined when none ever did. */
  readonly slowAgoMs: number | undefined;
}

export type Course =
  | { readonly run: false; readonly reason: 'paused' | 'circuit-open' }
  | { readonly run: true; readonly concurrency: number };

/** Workers report at most this often, and the governor comes this often. */
const REPORT_EVERY_MS = 60_000;
/** A dependency that was slow this lately gets its concurrency back in small steps. */
const SLOW_MEMORY_MS = 15 * 60_000;
const CLIMB_SHARE = 1 / 4;

/**
 * A queue is off while its kind is paused or its circuit lets nobody through. It is on in every other case, whoever turned it
 * off: `andal pause` is the way to stop a kind that stays stopped.
 */
export function decide(facts: QueueFacts): Course {
  const { mapping, maxConcurrency, paused, standing } = facts;
  if (paused) return { run: false, reason: 'paused' };
  if (standing === 'open') return { run: false, reason: 'circuit-open' };
  // Somebody has to come for the one probe.
  if (standing === 'probe-due' || standing === 'probing' || !mapping.enabled)
    return { run: true, concurrency: atMost(maxConcurrency, LEAST_CONCURRENCY) };
  return { run: true, concurrency: atMost(maxConcurrency, nextConcurrency(mapping.maxConcurrency ?? maxConcurrency, facts)) };
}

function nextConcurrency(current: number, { maxConcurrency, slowAgoMs }: QueueFacts): number {
  if (slowAgoMs === undefined || slowAgoMs > SLOW_MEMORY_MS) return current * 2;
  if (slowAgoMs <= REPORT_EVERY_MS) return Math.floor(current / 2);
  // One quiet minute is kept as it is, then the climb begins.
  return slowAgoMs <= 2 * REPORT_EVERY_MS ? current : current + Math.ceil(maxConcurrency * CLIMB_SHARE);
}

const atMost = (maxConcurrency: number, concurrency: number): number => Math.max(LEAST_CONCURRENCY, Math.min(maxConcurrency, concurrency));
