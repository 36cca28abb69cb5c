import type { ProviderCall } from '../provider/provider-requests.ts';
import type { Simulation } from '../simulation.ts';
import type { Clocks } from './clocks.ts';
import { idOf, jobOf } from './item-views.ts';
import { LONGEST_WAIT_SECONDS } from './wait-bands.ts';

/** `due:` lies this much before the message is back. */
const DUE_EARLIER_MS = 1_000;

interface Asked {
  readonly seconds: number;
  readonly atMs: number;
}

/** A slot that a process works on. */
interface Working {
  readonly slot: string;
  readonly by: string;
  readonly atMs: number;
}

/** What the provider asked for, and whether it is waited for; by slots (waits.ts). */
export function createRetryAfter(simulation: Simulation, clocks: Clocks, violate: (how: string) => void) {
  const claims = new Map<string, number>();
  const asked = new Map<string, Asked>();
  /** Until when the provider wants to be left alone about a slot, and whose clock measured it. */
  const quiet = new Map<string, { readonly untilMs: number; readonly by: string; readonly releasedAtMs: number }>();
  return {
    claimed({ slot, by, atMs }: Working): void {
      claims.set(`${by} ${slot}`, atMs);
      asked.delete(`${by} ${slot}`);
    },
    /** @returns what it asked for in this run, in seconds; 0 when it did not */
    released({ slot, by, atMs }: Working): number {
      const answer = asked.get(`${by} ${slot}`);
      if (answer === undefined) return 0;
      simulation.happened('the provider asked for time');
      quiet.set(slot, { untilMs: answer.atMs + 1000 * answer.seconds, by, releasedAtMs: atMs });
      return answer.seconds;
    },
    forget: (slot: string): void => void quiet.delete(slot),
    forgetAll: (): void => quiet.clear(),
    providerCalled({ key = '', operation, from, sentAtMs }: ProviderCall): void {
      const slot = slotOf(key);
      const left = slot === undefined ? undefined : quiet.get(slot);
      // Whoever had claimed before goes on: it was overtaken, and could not hear of it.
      if (left === undefined || (claims.get(`${from} ${slot}`) ?? 0) < left.releasedAtMs) return;
      clocks.whenKnown([from, left.by], () => {
        const apartMs = (clocks.aheadMs(from) ?? 0) - (clocks.aheadMs(left.by) ?? 0);
        const earlyMs = left.untilMs - DUE_EARLIER_MS - sentAtMs - apartMs;
        if (earlyMs > 1)
          violate(`${from} sends a ${operation} of ${key} ${Math.round(earlyMs)} ms before the provider's Retry-After is over`);
      });
    },
    providerAnswered(call: ProviderCall, { retryAfterSeconds }: { readonly retryAfterSeconds: number | undefined }): void {
      const slot = slotOf(call.key ?? '');
      if (slot === undefined || retryAfterSeconds === undefined || !arrives(call, simulation)) return;
      asked.set(`${call.from} ${slot}`, { seconds: Math.min(retryAfterSeconds, LONGEST_WAIT_SECONDS), atMs: simulation.world.nowMs });
    },
  };
}

/** A void carries the capture's key. */
function slotOf(key: string): string | undefined {
  const job = jobOf(key.replace(/^void:/, ''));
  return job && `${idOf(job.item)} ${job.operation}`;
}

/** An answer that something else happened to may never have been heard. */
function arrives({ sentAtMs }: ProviderCall, { faults }: Simulation): boolean {
  const fault = faults.injected.findLast(({ label, atMs }) => atMs === sentAtMs && label.endsWith(' at the provider'))?.fault;
  return fault === undefined || fault === 'rate-limited' || fault === 'unavailable';
}
