import { targetOf } from '#shared/worker/job-target.ts';
import { TABLES, workerOfKind } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { Fault } from '../network/fault.ts';
import type { ItemWritten } from '../observer.ts';
import type { ProviderCall } from '../provider/provider-requests.ts';
import { definitionOf, type OwnKind } from '../scenario/own-kind.ts';
import type { Simulation } from '../simulation.ts';
import { idOf, recordOf } from './item-views.ts';

/** Whatever became of the call, its caller learns only that it failed. */
const UNHEARD = new Set<Fault>([
  'refused',
  'dropped',
  'answer-lost',
  'late',
  'rate-limited',
  'server-error',
  'server-error-applied',
  'unavailable',
  'cut-off',
]);
/** Of a provider that is well: done, or no for good. */
const ANSWERS = new Set([200, 400, 402, 413, 414, 415, 422, 431]);
const SLOW_ANSWER_MS = 40_000;

export const DONE_MEANS_DONE =
  'a job that called the provider to act is done only when the provider has acted, or has said no, and the job has heard it';

interface Claim {
  readonly by: string;
  readonly atMs: number;
  /** Nobody else can have made the calls of this time. */
  readonly isAlone: boolean;
}

/**
 * A timeout taken for success is the first thing that goes wrong with money, and most of the time it even was one: so what counts is
 * what the process that finishes the job has heard since its claim, and not what happened.
 *
 * Does not protect where two processes are at the job at a time: whose call had failed cannot be told from outside.
 */
export const doneMeansHeard = (own: OwnKind): Invariant => ({
  id: 'S12',
  promise: DONE_MEANS_DONE,
  watch(simulation, violate) {
    const definition = definitionOf(own.kind);
    const { key, operation } = targetOf(definition, definition.payload.parse(own.payload));
    const hears = createHearing(simulation, own.kind, definition.timing.dependencyTimeoutMs);
    const working = new Set<string>();
    let claim: Claim | undefined;
    return {
      itemWritten({ table, id, old, next, by, atMs }: ItemWritten) {
        if (table !== TABLES.state || id !== idOf(key) || by === undefined) return;
        if (next?.['lease'] === 'held' && next['fence'] !== old?.['fence']) {
          working.delete(by);
          claim = { by, atMs, isAlone: working.size === 0 };
          working.add(by);
        }
        if (recordOf(next, operation)?.status !== 'completed' || recordOf(old, operation) !== undefined) return;
        if (claim?.by !== by || !claim.isAlone) return;
        const failed = hears.lastFailure(claim.atMs);
        if (failed !== undefined && !hears.answeredSince(by, failed.atMs))
          violate(
            `${own.kind} is done, although its last call (${failed.label}) ended with ${failed.fault} and nobody asked what became of it`,
          );
      },
      providerAnswered: hears.providerAnswered,
      invocationEnded: (_functionName, { name }) => void working.delete(name),
    };
  },
});

/** What reached a process of what it asked the provider. */
function createHearing({ faults }: Simulation, kind: string, patienceMs: number) {
  const answered: { readonly by: string; readonly sentAtMs: number }[] = [];
  const acting = new RegExp(`^${workerOfKind(kind)} (?:capture|refund) at the provider$`);
  const faultAt = (sentAtMs: number): Fault | undefined =>
    faults.injected.findLast(({ label, atMs }) => atMs === sentAtMs && label.endsWith(' at the provider'))?.fault;
  const isUnheard = (fault: Fault): boolean => UNHEARD.has(fault) || (fault === 'slow' && patienceMs < SLOW_ANSWER_MS);
  return {
    providerAnswered({ from: by, sentAtMs }: ProviderCall, { status }: { readonly status: number }): void {
      const fault = faultAt(sentAtMs);
      if (ANSWERS.has(status) && (fault === undefined || !isUnheard(fault))) answered.push({ by, sentAtMs });
    },
    lastFailure: (sinceMs: number) =>
      faults.injected.findLast(({ label, atMs, fault }) => atMs >= sinceMs && acting.test(label) && isUnheard(fault)),
    answeredSince: (by: string, sinceMs: number): boolean => answered.some((one) => one.by === by && one.sentAtMs > sinceMs),
  };
}
