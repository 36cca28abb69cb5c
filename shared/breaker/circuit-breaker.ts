import type { CachedRows } from '#shared/control/cached-rows.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import { breakerRow } from '#shared/control/rows.ts';
import {
  type BreakerRow,
  type CircuitWrite,
  coolDownMs,
  openWrite,
  probeAnsweredWrite,
  probeCallWrite,
  probeFailedWrite,
  probeWrite,
  readBreaker,
  standingOf,
} from './circuit.ts';

/** Leave to work with the dependency, given before the claim. */
export type Entry =
  | { readonly admitted: true; readonly share: number; readonly probe?: Probe }
  | { readonly admitted: false; readonly retryAfterMs: number };

export interface Probe {
  readonly owner: string;
  readonly openings: number;
}

/**
 * How a call ended. `answered`: any answer, a decline too. `limited`: it asked for fewer calls; alive, but no proof of health.
 * `unsaid`: the call never left, or was given up by us.
 */
export type CallEnd = 'answered' | 'limited' | 'failed' | 'unsaid';

export interface CircuitBreaker {
  /** @throws when the Control table does not answer */
  enter(): Promise<Entry>;
  /**
   * Asked right before each call.
   *
   * @returns nothing, or how long to put the call off
   * @throws when the Control table does not answer
   */
  refuseCall(probe: Probe | undefined, callTimeoutMs: number): Promise<{ readonly retryAfterMs: number } | undefined>;
  /** Never throws: a report that is lost costs some more failing calls. */
  report(end: CallEnd, probe: Probe | undefined): Promise<void>;
}

export interface CircuitBreakerParts {
  readonly dependency: string;
  readonly control: ControlStore;
  /** Shares the reads of all jobs of this process. */
  readonly rows: CachedRows;
  readonly nowMs: () => number;
  readonly token: () => string;
  /** Multiplies every duration; 1 but in stage local. */
  readonly scale: number;
}

/** Failures in a row that open the circuit. */
export const THRESHOLD = 5;
/** A dependency that has just come back gets less patience. */
const THRESHOLD_WHILE_CLOSING = 2;
/** Failures further apart are no outage. */
const WINDOW_MS = 60_000;
/** Those who lost the race for the probe look again after this long. */
const PROBE_RACE_MS = 5_000;

interface Breaker extends CircuitBreakerParts {
  readonly id: string;
  /** Failures in a row, counted in this process alone. */
  streak: { count: number; sinceMs: number };
  /** This process has seen enough, whether or not the row could be written. */
  heldUntilMs: number;
  racing: boolean;
}

/**
 * Counts failures in memory and opens the circuit for all processes by one conditional write.
 *
 * Does not protect against calls that were under way when it opened, nor, for as long as rows are cached, against calls of
 * processes that have not heard of it.
 */
export function createCircuitBreaker(parts: CircuitBreakerParts): CircuitBreaker {
  const breaker: Breaker = { ...parts, id: breakerRow(parts.dependency), streak: { count: 0, sinceMs: 0 }, heldUntilMs: 0, racing: false };
  return {
    enter: () => enter(breaker),
    refuseCall: (probe, callTimeoutMs) => (probe === undefined ? refuseOrdinary(breaker) : refuseProbe(breaker, probe, callTimeoutMs)),
    report: (end, probe) => (probe === undefined ? reportOrdinary(breaker, end) : reportProbe(breaker, end, probe)),
  };
}

const readRow = async ({ rows, id }: Breaker): Promise<BreakerRow | undefined> => readBreaker(await rows.read(id));

async function enter(breaker: Breaker): Promise<Entry> {
  const { nowMs, scale } = breaker;
  const row = await readRow(breaker);
  const standing = standingOf(row, nowMs(), scale);
  if (breaker.heldUntilMs > nowMs() && row === undefined) return { admitted: false, retryAfterMs: breaker.heldUntilMs - nowMs() };
  switch (standing.state) {
    case 'closed':
      return { admitted: true, share: 1 };
    case 'closing':
      return { admitted: true, share: standing.share };
    case 'open':
      return { admitted: false, retryAfterMs: standing.retryAtMs - nowMs() };
    case 'probing':
      return { admitted: false, retryAfterMs: standing.untilMs - nowMs() };
    case 'probe-due':
      return enterAsProbe(breaker, standing.row);
  }
}

async function enterAsProbe(breaker: Breaker, row: BreakerRow): Promise<Entry> {
  const { nowMs, scale, token, rows, id } = breaker;
  const lost: Entry = { admitted: false, retryAfterMs: PROBE_RACE_MS * scale };
  if (breaker.racing) return lost;
  breaker.racing = true;
  try {
    const owner = token();
    const accepted = await write(breaker, probeWrite(row, owner, nowMs(), scale));
    rows.forget(id);
    return accepted ? { admitted: true, share: 1, probe: { owner, openings: row.openings } } : lost;
  } finally {
    breaker.racing = false;
  }
}

/** A job that was let in before the circuit opened stops here. */
async function refuseOrdinary(breaker: Breaker): Promise<{ retryAfterMs: number } | undefined> {
  const nowMs = breaker.nowMs();
  const row = await readRow(breaker);
  const standing = standingOf(row, nowMs, breaker.scale);
  if (standing.state === 'open') return { retryAfterMs: standing.retryAtMs - nowMs };
  if (standing.state === 'probing' || standing.state === 'probe-due') return { retryAfterMs: PROBE_RACE_MS * breaker.scale };
  return breaker.heldUntilMs > nowMs && row === undefined ? { retryAfterMs: breaker.heldUntilMs - nowMs } : undefined;
}

async function refuseProbe(breaker: Breaker, { owner }: Probe, callTimeoutMs: number): Promise<{ retryAfterMs: number } | undefined> {
  const accepted = await write(breaker, probeCallWrite(owner, breaker.nowMs(), callTimeoutMs));
  return accepted ? undefined : { retryAfterMs: PROBE_RACE_MS * breaker.scale };
}

async function reportProbe(breaker: Breaker, end: CallEnd, { owner, openings }: Probe): Promise<void> {
  // Its place frees itself by time.
  if (end === 'unsaid') return;
  const { nowMs, scale } = breaker;
  breaker.streak = { count: 0, sinceMs: 0 };
  breaker.heldUntilMs = 0;
  await attempt(breaker, end === 'failed' ? probeFailedWrite(owner, openings, nowMs(), scale) : probeAnsweredWrite(owner, nowMs()));
}

async function reportOrdinary(breaker: Breaker, end: CallEnd): Promise<void> {
  const nowMs = breaker.nowMs();
  if (end === 'answered') breaker.streak = { count: 0, sinceMs: nowMs };
  if (end !== 'failed') return;
  const { count, sinceMs } = breaker.streak;
  const goesOn = count > 0 && nowMs - sinceMs <= WINDOW_MS * breaker.scale;
  breaker.streak = goesOn ? { count: count + 1, sinceMs } : { count: 1, sinceMs: nowMs };
  if (breaker.streak.count < THRESHOLD_WHILE_CLOSING) return;
  const row = await readRow(breaker).catch(() => undefined);
  const { state } = standingOf(row, nowMs, breaker.scale);
  if (breaker.streak.count < (state === 'closing' ? THRESHOLD_WHILE_CLOSING : THRESHOLD)) return;
  if (state !== 'closed' && state !== 'closing') return;
  breaker.streak = { count: 0, sinceMs: nowMs };
  breaker.heldUntilMs = nowMs + coolDownMs(1, breaker.scale);
  await attempt(breaker, openWrite(row, nowMs, breaker.scale));
}

async function attempt(breaker: Breaker, circuitWrite: CircuitWrite): Promise<void> {
  await write(breaker, circuitWrite).catch(() => false);
  breaker.rows.forget(breaker.id);
}

const write = async ({ control, id }: Breaker, { change, condition }: CircuitWrite): Promise<boolean> =>
  (await control.update(id, change, condition)).accepted;
