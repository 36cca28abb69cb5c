import type * as z from 'zod';
import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { JobTiming } from '#shared/contract/timing.ts';
import type { ItemNumber } from '#shared/item/conditions.ts';
import type { Decision } from './outcome.ts';
import { assertVersions, type OlderVersion } from './payload-versions.ts';
import type { Ports } from './ports.ts';

/** The dependency a kind stands behind; breaker and rate limit belong to it. */
export type Dependency = 'payment-provider';

export interface RunInput<Payload> {
  /** The item as the claim left it: business attributes and the protocol's, frozen. */
  readonly item: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Payload>;
  /** The job's idempotency key, also the provider's. */
  readonly key: string;
  /** Attempts spent, this one included. */
  readonly attempt: number;
  /** Milliseconds since the epoch when the claim was written. */
  readonly nowMs: number;
  /** Longest wait for one answer of the dependency. */
  readonly dependencyTimeoutMs: number;
  /** The provider forgets idempotency keys this long after the intent; no charging call is made from an hour before. */
  readonly keyHorizonMs: number;
  /** Aborted when the lease is lost: whatever is still done is not committed. */
  readonly signal: AbortSignal;
  /** Long work says that it advances; lease and visibility are then extended. Resolves at once when that is not due. */
  readonly progress: () => Promise<void>;
  readonly ports: Ports;
}

export interface JobDefinition<Payload, Result> {
  readonly kind: string;
  /** Version of the payload this code writes. */
  readonly version: number;
  /** With examples (`.meta({ examples })`) in which every optional field is once there and once not: key and intent of each are kept for later versions. */
  readonly payload: z.ZodType<Payload>;
  /** The earlier versions, each with the upgrade to today's; every one from `oldestVersion` on (docs/payload-versions.md). */
  readonly versions?: Readonly<Record<number, OlderVersion<Payload>>>;
  /** Messages below it are not read any more; 1 when left out. */
  readonly oldestVersion?: number;
  /** The business intent, from the payload alone: no time, no message id, no attempt number of the technical retry, no function name. */
  readonly key: (payload: Payload) => string;
  /** The business item the job changes and the operation's name on it. Left out: the job gets an item of its own. */
  readonly item?: (payload: Payload) => ItemKey;
  readonly operation?: (payload: Payload) => string;
  /**
   * The number the item must show for this job to be its current one, e.g. the payment attempt; part of the claim's condition.
   * A message ahead of its item touches nothing and becomes a letter; one behind it is obsolete.
   */
  readonly current?: (payload: Payload) => ItemNumber;
  /** The fields that must not differ under one key; equal in all message versions. */
  readonly intent: (payload: Payload) => Readonly<Record<string, unknown>>;
  /** When the intent was written, as the item tells it; neither a replay nor a restored table can hide that. Left out: when the message was first written. */
  readonly intentAtMs?: (item: Readonly<Record<string, unknown>>) => number | undefined;
  /** Business condition checked again at the commit. */
  readonly guard?: { readonly attribute: string; readonly equals: string };
  readonly timing: JobTiming;
  readonly queue: {
    readonly batchSize: number;
    readonly maxConcurrency: number;
    readonly batchingWindowSeconds?: number;
    /** A FIFO queue partitioned by this key: jobs of one group run in order, groups do not wait for each other. */
    readonly fifoGroup?: (payload: Payload) => string;
  };
  readonly dependency?: Dependency;
  /** What a duplicate gets back; at most 256 bytes of JSON. */
  readonly result: z.ZodType<Result>;
  /**
   * What became of earlier attempts, asked before `run` whenever one may have reached the outside, and instead of it once the
   * attempts are spent. A decision when something happened, undefined when the outside says that nothing did.
   */
  readonly ask?: (input: RunInput<Payload>) => Promise<Decision<Result> | undefined>;
  /**
   * Ask even before the first call, for operations that a customer's request opened: a table put back to an earlier day may have
   * forgotten that this very operation was carried out.
   */
  readonly asksAtOnce?: (payload: Payload) => boolean;
  /** Does the work and returns what to change. Writes nothing itself. */
  readonly run: (input: RunInput<Payload>) => Promise<Decision<Result>>;
}

/** A definition whose payload type is no longer known, as the registry, the worker and the stacks hold it. */
// biome-ignore lint/suspicious/noExplicitAny: payloads are checked by each definition's own schema before any of its functions see them
export type AnyJobDefinition = JobDefinition<any, any>;

/** A job to be enqueued by a commit. */
export interface JobReference {
  readonly definition: AnyJobDefinition;
  readonly payload: unknown;
}

/**
 * Gives the payload's and the result's type to every member.
 *
 * @throws RangeError when an earlier version has no upgrade
 */
export function defineJob<Payload, Result>(definition: JobDefinition<Payload, Result>): JobDefinition<Payload, Result> {
  assertVersions(definition);
  return Object.freeze(definition);
}

/** Names a job to enqueue; the payload's type is the kind's own. */
export const job = <Payload, Result>(definition: JobDefinition<Payload, Result>, payload: Payload): JobReference => ({
  definition,
  payload,
});
