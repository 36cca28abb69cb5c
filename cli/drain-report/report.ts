import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import type { QueueDepth } from '../aws/queues.ts';
import { isEmpty } from '../aws/queues.ts';
import type { VersionTally, Whereabouts } from './version-tally.ts';

/** `older-left` is known; the last two say that something could not be looked at. */
export type Standing = 'no-older-version' | 'drained' | 'older-left' | 'queue-not-empty' | 'letters-not-all-seen';

export interface VersionCount extends Whereabouts {
  readonly version: number;
  /** Against the version this code writes. */
  readonly age: 'older' | 'current' | 'newer';
}

export interface KindDrain {
  readonly kind: string;
  /** The version this code writes. */
  readonly version: number;
  readonly standing: Standing;
  /** Messages in the queue that workers read, whatever their version. */
  readonly queue: QueueDepth | null;
  readonly versions: readonly VersionCount[];
}

/** As SQS counts, which is approximate. */
export interface LettersLooked {
  readonly seen: number;
  /** Hidden by somebody else, or behind the first ten of their FIFO group. */
  readonly unseen: number;
}

export interface LookedQueue extends LettersLooked {
  readonly name: string;
  readonly state: 'there' | 'missing';
}

export interface DrainReport {
  readonly stage: string;
  /** Nothing older than what this code writes is left anywhere. */
  readonly drained: boolean;
  /** Every letter was seen and no queue was missing; otherwise the counts are of a part only. */
  readonly complete: boolean;
  readonly kinds: readonly KindDrain[];
  readonly deadLetterQueues: readonly LookedQueue[];
  /** Kinds of which this code knows nothing, with the versions found. */
  readonly unknownKinds: readonly { readonly kind: string; readonly versions: readonly (Whereabouts & { readonly version: number })[] }[];
  /** Whatever is no message: it has no version. */
  readonly unreadable: Whereabouts;
  /** Messages that wait to be sent again by retry-outbox, of any kind. */
  readonly outboxRetry: QueueDepth | null;
  readonly itemsLooked: number;
}

export interface Looked {
  readonly stage: string;
  readonly tally: VersionTally;
  readonly itemsLooked: number;
  /** By the queue's name: a job's kind, or `outbox-failed`. */
  readonly queues: Readonly<Record<string, { readonly depth: QueueDepth | null; readonly letters: LettersLooked | null }>>;
}

/** The queue of messages that could not be sent; they may be of any kind. */
export const OUTBOX_RETRY = 'outbox-failed';

export function reportOf(definitions: readonly AnyJobDefinition[], known: readonly string[], looked: Looked): DrainReport {
  const { tally } = looked;
  const kinds = definitions.map((definition) => kindDrain(definition, looked));
  return {
    stage: looked.stage,
    drained: kinds.every(({ standing }) => standing === 'drained' || standing === 'no-older-version'),
    complete: Object.values(looked.queues).every(isWhole),
    kinds,
    deadLetterQueues: Object.entries(looked.queues).map(([name, { letters }]) => ({
      name,
      state: letters === null ? 'missing' : 'there',
      ...(letters ?? { seen: 0, unseen: 0 }),
    })),
    unknownKinds: tally
      .kinds()
      .filter((kind) => !known.includes(kind))
      .map((kind) => ({ kind, versions: tally.versionsOf(kind) })),
    unreadable: tally.unreadable(),
    outboxRetry: looked.queues[OUTBOX_RETRY]?.depth ?? null,
    itemsLooked: looked.itemsLooked,
  };
}

function kindDrain({ kind, version }: AnyJobDefinition, { tally, queues }: Looked): KindDrain {
  const versions = tally.versionsOf(kind).map((found): VersionCount => ({ ...found, age: ageOf(found.version, version) }));
  const both = [queues[kind], queues[OUTBOX_RETRY]];
  return { kind, version, standing: standingOf(version, versions, both), queue: queues[kind]?.depth ?? null, versions };
}

const ageOf = (found: number, written: number): VersionCount['age'] => {
  if (found === written) return 'current';
  return found < written ? 'older' : 'newer';
};

const isWhole = (queue: Looked['queues'][string] | undefined): boolean => queue?.letters?.unseen === 0;

function standingOf(
  version: number,
  versions: readonly VersionCount[],
  queues: readonly (Looked['queues'][string] | undefined)[],
): Standing {
  if (version === 1) return 'no-older-version';
  if (versions.some(({ age }) => age === 'older')) return 'older-left';
  if (!queues.every(isWhole)) return 'letters-not-all-seen';
  return queues.every((queue) => queue?.depth != null && isEmpty(queue.depth)) ? 'drained' : 'queue-not-empty';
}
