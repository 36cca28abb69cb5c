import * as z from 'zod';
import type { ControlRow, RowChange, RowCondition } from '#shared/control/control-store.ts';
import { expiresAtSeconds } from '#shared/control/rows.ts';

/**
 * A dependency's circuit breaker as a row: no row while it is healthy, so health costs no write.
 *
 *   (no row) ──failures──▶ open ──cool-down over, one probe──▶ half-open ──answered──▶ closing ──ramp over──▶ (no row)
 *                           ▲                                    │ failed                 │ failures
 *                           └────────── cool-down doubled ───────┴────────────────────────┘
 */
const breakerSchema = z.object({
  state: z.enum(['open', 'half-open', 'closing']),
  openings: z.number(),
  openedAtMs: z.number(),
  /** Until then nobody calls; absent while closing. */
  retryAtMs: z.number().optional(),
  probeOwner: z.string().optional(),
  probeUntilMs: z.number().optional(),
  closedAtMs: z.number().optional(),
});

export type BreakerRow = z.infer<typeof breakerSchema>;

/** An unreadable row counts as none: the failures that follow write it anew. */
export function readBreaker(row: ControlRow | undefined): BreakerRow | undefined {
  const parsed = breakerSchema.safeParse(row);
  return parsed.success ? parsed.data : undefined;
}

/** All in milliseconds of a stage whose time is not shortened. */
const SHORTEST_COOL_DOWN_MS = 15_000;
const LONGEST_COOL_DOWN_MS = 300_000;
const RAMP_STEP_MS = 15_000;
/** Part of the rate limit in each step after the probe. */
const RAMP_SHARES = [1 / 8, 1 / 4, 1 / 2] as const;
/** Long enough for a claim; the call itself asks for more. */
export const PROBE_CLAIM_MS = 5_000;
const ROW_LIFETIME_MS = 24 * 3_600_000;

export type Standing =
  | { readonly state: 'closed' }
  /** Answers again; calls come back in steps. */
  | { readonly state: 'closing'; readonly share: number }
  | { readonly state: 'open'; readonly retryAtMs: number }
  /** The cool-down is over and nobody probes: whoever writes it first may. */
  | { readonly state: 'probe-due'; readonly row: BreakerRow }
  | { readonly state: 'probing'; readonly untilMs: number };

/** @param scale multiplies every duration; 1 but in stage local */
export function standingOf(row: BreakerRow | undefined, nowMs: number, scale: number): Standing {
  if (row === undefined) return { state: 'closed' };
  if (row.state === 'closing') {
    const share = RAMP_SHARES[Math.max(0, Math.floor((nowMs - (row.closedAtMs ?? 0)) / (RAMP_STEP_MS * scale)))];
    return share === undefined ? { state: 'closed' } : { state: 'closing', share };
  }
  // A clock that is behind the one which wrote the row sees a longer wait than there is.
  if (row.retryAtMs !== undefined && nowMs < row.retryAtMs)
    return { state: 'open', retryAtMs: Math.min(row.retryAtMs, nowMs + LONGEST_COOL_DOWN_MS * scale) };
  if (row.probeUntilMs !== undefined && nowMs <= row.probeUntilMs) return { state: 'probing', untilMs: row.probeUntilMs };
  return { state: 'probe-due', row };
}

/** The ramp is over and the row has nothing left to say. */
export const isHealed = (row: BreakerRow, nowMs: number, scale: number): boolean =>
  row.state === 'closing' && standingOf(row, nowMs, scale).state === 'closed';

export const coolDownMs = (openings: number, scale: number): number =>
  Math.min(LONGEST_COOL_DOWN_MS, SHORTEST_COOL_DOWN_MS * 2 ** Math.max(0, openings - 1)) * scale;

export interface CircuitWrite {
  readonly change: RowChange;
  readonly condition: RowCondition;
}

/** Opens a closed or closing circuit. Refused when somebody else just did. */
export function openWrite(row: BreakerRow | undefined, nowMs: number, scale: number): CircuitWrite {
  const change = opened(row === undefined || isHealed(row, nowMs, scale) ? 1 : row.openings + 1, nowMs, scale);
  if (row === undefined) return { change, condition: { state: 'absent' } };
  return {
    change,
    condition: { state: { equals: 'closing' }, ...(row.closedAtMs === undefined ? {} : { closedAtMs: { equals: row.closedAtMs } }) },
  };
}

/** One probe in all: the condition lets one of many through, and frees the place of a prober that died. */
export const probeWrite = ({ openings }: BreakerRow, probeOwner: string, nowMs: number, scale: number): CircuitWrite => ({
  change: { set: { state: 'half-open', probeOwner, probeUntilMs: nowMs + PROBE_CLAIM_MS * scale } },
  condition: { openings: { equals: openings }, retryAtMs: { atMost: nowMs }, probeUntilMs: { absentOrBelow: nowMs } },
});

/** The probe is about to call: its place is kept until the call must have ended. Refused when it was too slow to get here. */
export const probeCallWrite = (probeOwner: string, nowMs: number, callTimeoutMs: number): CircuitWrite => ({
  change: { set: { probeUntilMs: nowMs + 2 * callTimeoutMs } },
  condition: { probeOwner: { equals: probeOwner } },
});

export const probeAnsweredWrite = (probeOwner: string, nowMs: number): CircuitWrite => ({
  change: {
    set: { state: 'closing', closedAtMs: nowMs, expiresAt: expiresAtSeconds(nowMs + ROW_LIFETIME_MS) },
    remove: ['probeOwner', 'probeUntilMs', 'retryAtMs'],
  },
  condition: { probeOwner: { equals: probeOwner } },
});

export const probeFailedWrite = (probeOwner: string, openings: number, nowMs: number, scale: number): CircuitWrite => ({
  change: opened(openings + 1, nowMs, scale),
  condition: { probeOwner: { equals: probeOwner } },
});

const opened = (openings: number, nowMs: number, scale: number): RowChange => ({
  set: { state: 'open', openedAtMs: nowMs, retryAtMs: nowMs + coolDownMs(openings, scale), openings },
  remove: ['probeOwner', 'probeUntilMs', 'closedAtMs', 'expiresAt'],
});
