/** What can go wrong with one request, one delivery, one batch. Names are from the caller's side. */

/** Of any process at a request: it dies, or stands still longer than its lease, before the request leaves or once it is applied. */
export const PROCESS_FAULTS = ['crash-before', 'crash-after', 'freeze-before', 'freeze-after'] as const;

/** Of a request to AWS. `late` is applied after the caller has given up. */
export const AWS_FAULTS = [
  'refused',
  'dropped',
  'answer-lost',
  'late',
  'throttled',
  'server-error',
  'server-error-applied',
  'conflict',
  'entry-failed',
  'stale-read',
  'keys-unprocessed',
] as const;

/** Of a call to the provider. Charged or not is the difference between `answer-lost` and `dropped`. */
export const PROVIDER_FAULTS = [
  'refused',
  'dropped',
  'answer-lost',
  'late',
  'slow',
  'rate-limited',
  'server-error',
  'server-error-applied',
  'unavailable',
  'cut-off',
  'wrong-amount',
] as const;

/** Of a queue's event source mapping. */
export const QUEUE_FAULTS = ['delivered-twice', 'delivered-late', 'delete-lost', 'not-invoked'] as const;

/** Of a stream's event source mapping. */
export const STREAM_FAULTS = ['replayed', 'batch-split', 'lag', 'not-invoked'] as const;

export type ProcessFault = (typeof PROCESS_FAULTS)[number];
export type AwsFault = (typeof AWS_FAULTS)[number] | ProcessFault;
export type ProviderFault = (typeof PROVIDER_FAULTS)[number] | ProcessFault;
export type QueueFault = (typeof QUEUE_FAULTS)[number];
export type StreamFault = (typeof STREAM_FAULTS)[number];
export type Fault = AwsFault | ProviderFault | QueueFault | StreamFault;

/** One place in one run where something can go wrong. */
export interface IoPoint {
  /** Counted from 0 over the run. */
  readonly index: number;
  /** Who does what to what: `execute-job/capture-payment claim State`. The same in every run. */
  readonly label: string;
  readonly atMs: number;
}

/** Decides what goes wrong where. */
export interface FaultPlan {
  at<Possible extends Fault>(point: IoPoint, possible: readonly Possible[]): Possible | undefined;
}

export interface Injected extends IoPoint {
  readonly fault: Fault;
}

/** Every point of a run and what was done to it. */
export interface Faults {
  strike<Possible extends Fault>(label: string, possible: readonly Possible[]): Possible | undefined;
  readonly injected: readonly Injected[];
  /** How many points there were so far. */
  readonly points: number;
  plan: FaultPlan;
  /** Kept when the run is asked for its points. */
  readonly seen: readonly { readonly label: string; readonly possible: readonly Fault[] }[];
}

export const noFaults: FaultPlan = { at: () => undefined };

export function createFaults(
  world: { readonly nowMs: number; log(line: string): void },
  plan: FaultPlan,
  { keepPoints = false }: { readonly keepPoints?: boolean } = {},
): Faults {
  const injected: Injected[] = [];
  const seen: { label: string; possible: readonly Fault[] }[] = [];
  let points = 0;
  return {
    injected,
    seen,
    plan,
    get points() {
      return points;
    },
    strike(label, possible) {
      const point = { index: points++, label, atMs: world.nowMs };
      if (keepPoints) seen.push({ label, possible });
      const fault = this.plan.at(point, possible);
      if (fault === undefined) return undefined;
      injected.push({ ...point, fault });
      world.log(`fault ${fault} at ${label}`);
      return fault;
    },
  };
}
