import { readRateLimits } from '#shared/contract/environment.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import { rateRow } from '#shared/control/rows.ts';

/** What all workers together may ask of a dependency, and how far ahead its slots are taken. */
export interface RateLimit {
  readonly dependency: string;
  readonly callsPerSecond: number;
  /** 0: the next call may go at once. */
  readonly bookedAheadMs: number;
}

/** @param variables of any worker; all of them are deployed with the same limits */
export async function readRateUse(
  control: ControlStore,
  { RATE_LIMITS: json }: Readonly<Record<string, string>>,
  nowMs: number,
): Promise<RateLimit[]> {
  if (json === undefined) return [];
  return Promise.all(
    Object.entries(readRateLimits(json)).map(async ([dependency, callsPerSecond]) => {
      const row = await control.get(rateRow(dependency));
      return { dependency, callsPerSecond, bookedAheadMs: Math.max(0, Math.round(Number(row?.['nextSlotMs'] ?? 0) - nowMs)) };
    }),
  );
}
