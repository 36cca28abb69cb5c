import { readBreaker, standingOf } from '#shared/breaker/circuit.ts';
import { createCachedRows } from '#shared/control/cached-rows.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import { breakerRow, pauseRow } from '#shared/control/rows.ts';
import { jobOfKind } from '#shared/jobs/index.ts';

export interface ClosedKindsWorld {
  readonly control: ControlStore;
  readonly clock: { nowMs(): number };
  /** Multiplies the durations of circuits; 1 but in stage local. */
  readonly timeScale: number;
}

/** One run asks for many items of few kinds. */
const ROW_AGE_MS = 5_000;

/** Whether a kind's messages would only be handed back: somebody paused it, or its dependency's circuit lets nobody through. */
export function createClosedKinds({ control, clock, timeScale }: ClosedKindsWorld): (kind: string) => Promise<boolean> {
  const rows = createCachedRows({ control, nowMs: clock.nowMs, maxAgeMs: ROW_AGE_MS });
  return async (kind) => {
    if ((await rows.read(pauseRow(kind))) !== undefined) return true;
    const dependency = jobOfKind(kind)?.dependency;
    if (dependency === undefined) return false;
    const { state } = standingOf(readBreaker(await rows.read(breakerRow(dependency))), clock.nowMs(), timeScale);
    return state === 'open' || state === 'probing';
  };
}
