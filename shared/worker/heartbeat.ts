import type { WriteAnswer } from '#shared/item/expression.ts';

export interface Heartbeat {
  /** Reports progress; extends lease and visibility when a report is due. */
  progress(): Promise<void>;
  /** The run is over: no extension is sent any more. One under way meets its condition and changes nothing. */
  stop(): void;
  readonly signal: AbortSignal;
}

export interface HeartbeatParts {
  readonly intervalMs: number;
  readonly nowMs: () => number;
  /** Moves the lease's deadline; refused when the lease is lost. */
  readonly extendLease: (leaseUntilMs: number) => Promise<WriteAnswer>;
  readonly extendVisibility: () => Promise<void>;
  /** The function ends here whatever is extended. */
  readonly endsAtMs: number;
}

/** A lease that lives on reports spans this many of them. */
export const LEASE_HEARTBEATS = 3;

/**
 * Progress, not time, drives it: there is no timer to forget, and work that hangs is not extended.
 *
 * Does not protect against a run that reports progress it does not make.
 */
export function createHeartbeat({ intervalMs, nowMs, extendLease, extendVisibility, endsAtMs }: HeartbeatParts): Heartbeat {
  const lost = new AbortController();
  let lastMs = nowMs();
  let stopped = false;
  return {
    signal: lost.signal,
    stop: () => {
      stopped = true;
    },
    async progress() {
      if (stopped || lost.signal.aborted || nowMs() - lastMs < intervalMs) return;
      lastMs = nowMs();
      try {
        const answer = await extendLease(Math.min(lastMs + LEASE_HEARTBEATS * intervalMs, endsAtMs));
        if (!answer.accepted) return lost.abort();
        if (!stopped) await extendVisibility();
      } catch {
        // No answer is no loss: the deadline stands as it was, and the next report tries again.
      }
    },
  };
}

/** For kinds that finish within one lease. */
export const noHeartbeat = (): Heartbeat => ({
  progress: async () => undefined,
  stop: () => undefined,
  signal: new AbortController().signal,
});
