import type { ControlStore } from '#shared/control/control-store.ts';
import { expiresAtSeconds, slowRow } from '#shared/control/rows.ts';

export interface SlowCalls {
  /** Never throws: slowness that is not reported shows again a minute later. */
  took(durationMs: number, healthyMs: number): Promise<void>;
}

export interface SlowCallsParts {
  readonly dependency: string;
  readonly control: ControlStore;
  readonly nowMs: () => number;
}

/** Calls looked at together; one slow call is no slow dependency. */
const SAMPLE = 20;
const REPORT_EVERY_MS = 60_000;
const ROW_LIFETIME_MS = 24 * 3_600_000;

/** Tells the governor when half of the latest calls took longer than a healthy run does at its worst. */
export function createSlowCalls({ dependency, control, nowMs }: SlowCallsParts): SlowCalls {
  let latest: number[] = [];
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return {
    async took(durationMs, healthyMs) {
      latest = [...latest, durationMs].slice(-SAMPLE);
      const p50Ms = medianOf(latest);
      if (latest.length < SAMPLE || p50Ms <= healthyMs || nowMs() - reportedAtMs < REPORT_EVERY_MS) return;
      reportedAtMs = nowMs();
      latest = [];
      const set = { sinceMs: reportedAtMs, p50Ms, expiresAt: expiresAtSeconds(reportedAtMs + ROW_LIFETIME_MS) };
      await control.update(slowRow(dependency), { set }).catch(() => undefined);
    },
  };
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
