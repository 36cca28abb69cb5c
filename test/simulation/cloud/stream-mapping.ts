import type { StreamRecord } from '../../support/fake-aws/fake-dynamodb.ts';
import type { World } from '../kernel/world.ts';
import { type Faults, STREAM_FAULTS } from '../network/fault.ts';
import type { InvocationEnd, Lambda } from './lambda.ts';
import { acceptedBy, type FilterPattern } from './stream-filter.ts';

export interface StreamMappingDefinition {
  readonly functionName: string;
  readonly filters: readonly FilterPattern[];
  readonly batchSize: number;
  readonly maxRecordAgeMs: number;
  /** A record that failed so often by itself is given up. */
  readonly retryAttempts: number;
}

export interface StreamMapping {
  readonly definition: StreamMappingDefinition;
  add(record: StreamRecord): void;
  /** Everything on its way is lost, as when the table is replaced by another. */
  forget(): void;
  /** Records taken in and not yet done with. */
  readonly waiting: number;
  /** When the one that has waited longest was taken in; undefined when none waits. */
  readonly oldestAtMs: number | undefined;
  /** Until then records are lost, as when an outage outlasts what a stream keeps. */
  lostUntilMs: number;
}

export interface StreamMappingParts {
  readonly world: Pick<World, 'nowMs' | 'chance' | 'after' | 'log'>;
  readonly faults: Pick<Faults, 'strike'>;
  readonly lambda: Pick<Lambda, 'invoke'>;
  readonly onGivenUp: (functionName: string, record: StreamRecord) => void;
}

interface Waiting {
  readonly record: StreamRecord;
  readonly atMs: number;
}
interface Shard {
  waiting: Waiting[];
  readonly done: StreamRecord[];
  busy: boolean;
  /** The next batch is no larger: halved after an error, until its culprit stands alone. */
  atMost: number;
  /** How often the first waiting record failed alone. */
  failures: number;
}

const SHARDS = 2;
const RETRY_MS = { shortest: 500, longest: 5_000 };

/**
 * Delivers each shard's records in order, one batch at a time, again from the lowest failed one until they succeed, are too old
 * or have failed too often. Items of one partition key are always on one shard.
 */
export function createStreamMapping(parts: StreamMappingParts, definition: StreamMappingDefinition): StreamMapping {
  const { world, faults, lambda, onGivenUp } = parts;
  const { functionName, batchSize, filters } = definition;
  const accepts = acceptedBy(filters);
  const shards = Array.from({ length: SHARDS }, (): Shard => ({ waiting: [], done: [], busy: false, atMost: batchSize, failures: 0 }));

  const pollSoon = (shard: Shard, delayMs: number): void => {
    shard.busy = true;
    world.after(delayMs, () => deliver(shard));
  };
  const deliver = (shard: Shard): void => {
    for (const { record } of takeHopeless(shard, world.nowMs, definition)) onGivenUp(functionName, record);
    shard.busy = shard.waiting.length > 0;
    if (!shard.busy) return;
    const fault = faults.strike(`stream delivers to ${functionName}`, STREAM_FAULTS);
    if (fault === 'lag') return pollSoon(shard, world.chance.between(10_000, 10 * 60_000));
    if (fault === 'not-invoked') return pollSoon(shard, world.chance.between(RETRY_MS.shortest, RETRY_MS.longest));
    const size = fault === 'batch-split' ? 1 : world.chance.happens(0.7) ? batchSize : world.chance.whole(1, batchSize);
    const batch = shard.waiting.slice(0, Math.min(size, shard.atMost));
    world.log(`stream delivers ${batch.map(({ record }) => Number(record.dynamodb.SequenceNumber)).join(' ')} to ${functionName}`);
    lambda.invoke(functionName, { Records: batch.map(({ record }) => record) }, (end) => {
      const isDone = settle(shard, batch, end, batchSize);
      if (fault === 'replayed') shard.waiting.unshift(...shard.done.splice(-3).map((record) => ({ record, atMs: world.nowMs })));
      if (!isDone) return pollSoon(shard, world.chance.between(RETRY_MS.shortest, RETRY_MS.longest));
      if (shard.waiting.length > 0) return pollSoon(shard, world.chance.between(20, 300));
      shard.busy = false;
    });
  };
  const lose = (record: StreamRecord): void => {
    world.log(`${functionName} never sees ${Number(record.dynamodb.SequenceNumber)}`);
    onGivenUp(functionName, record);
  };
  const mapping: StreamMapping = {
    definition,
    lostUntilMs: 0,
    add(record) {
      if (!accepts(record)) return;
      if (world.nowMs < mapping.lostUntilMs) return lose(record);
      const shard = shards[shardOf(record)] as Shard;
      shard.waiting.push({ record, atMs: world.nowMs });
      if (!shard.busy) pollSoon(shard, world.chance.between(30, 400));
    },
    forget() {
      for (const shard of shards) for (const { record } of shard.waiting.splice(0)) lose(record);
    },
    get waiting() {
      return shards.reduce((sum, { waiting }) => sum + waiting.length, 0);
    },
    get oldestAtMs() {
      return shards.flatMap(({ waiting }) => waiting[0]?.atMs ?? []).sort((left, right) => left - right)[0];
    },
  };
  return mapping;
}

function takeHopeless(shard: Shard, nowMs: number, { maxRecordAgeMs, retryAttempts }: StreamMappingDefinition): Waiting[] {
  const spent = shard.failures > retryAttempts ? shard.waiting.splice(0, 1) : [];
  if (spent.length > 0) shard.failures = 0;
  const young = shard.waiting.findIndex(({ atMs }) => nowMs - atMs <= maxRecordAgeMs);
  return [...spent, ...shard.waiting.splice(0, young < 0 ? shard.waiting.length : young)];
}

/** @returns whether all of the batch is done with */
function settle(shard: Shard, batch: readonly Waiting[], end: InvocationEnd, batchSize: number): boolean {
  const done = doneOf(
    batch.map(({ record }) => record),
    end,
  );
  const finished = new Set(batch.slice(0, done));
  shard.waiting = shard.waiting.filter((one) => !finished.has(one));
  shard.done.push(...[...finished].map(({ record }) => record));
  if (done === batch.length) shard.atMost = batchSize;
  else if (end.how !== 'returned') shard.atMost = Math.max(1, Math.ceil(batch.length / 2));
  shard.failures = done > 0 || batch.length > 1 ? 0 : shard.failures + 1;
  return done === batch.length;
}

/** How many records from the front are done with: all on success, those before the lowest named one, none after an error. */
function doneOf(batch: readonly StreamRecord[], end: InvocationEnd): number {
  if (end.how !== 'returned') return 0;
  const { batchItemFailures = [] } = (end.value ?? {}) as { batchItemFailures?: readonly { itemIdentifier?: string }[] };
  if (batchItemFailures.length === 0) return batch.length;
  const named = batchItemFailures.map(({ itemIdentifier }) =>
    batch.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === itemIdentifier),
  );
  return Math.max(0, Math.min(...named));
}

/** By the partition key alone, so that what is written to one collection keeps its order. */
const shardOf = ({ dynamodb: { Keys } }: StreamRecord): number => {
  const key = JSON.stringify(Keys[Object.keys(Keys)[0] ?? '']);
  let hash = 7;
  for (let index = 0; index < key.length; index++) hash = (hash * 31 + key.charCodeAt(index)) >>> 0;
  return hash % SHARDS;
};
