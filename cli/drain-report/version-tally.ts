import * as z from 'zod';
import { jobKind, positiveInteger } from '#shared/contract/identifiers.ts';

/** Where a message can wait besides a queue that workers read. */
export interface Whereabouts {
  /** In the kind's dead-letter queue. */
  readonly letters: number;
  /** In the dead-letter queue of outboxes that could not be sent. */
  readonly parkedLetters: number;
  /** Still to be sent by the stream, its retries or the rescue. */
  readonly outboxes: number;
  /** Kept on the job's own item, from where the rescue sends it again. */
  readonly storedJobs: number;
}
export type Place = keyof Whereabouts;

export interface VersionTally {
  /** @param message an envelope, or its text; whatever else it is counts as unreadable */
  add(place: Place, message: unknown): void;
  versionsOf(kind: string): readonly (Whereabouts & { readonly version: number })[];
  kinds(): readonly string[];
  unreadable(): Whereabouts;
}

/** As little as tells kind and version: a message of any version has them. */
const envelope = z.object({ kind: jobKind, version: positiveInteger });

const NOWHERE: Whereabouts = { letters: 0, parkedLetters: 0, outboxes: 0, storedJobs: 0 };

/** What is kept grows with the number of versions, not of messages. */
export function createVersionTally(): VersionTally {
  const counts = new Map<string, Map<number, Record<Place, number>>>();
  const unreadable: Record<Place, number> = { ...NOWHERE };
  return {
    add(place, message) {
      const read = envelope.safeParse(typeof message === 'string' ? parsed(message) : message);
      if (!read.success) {
        unreadable[place]++;
        return;
      }
      const { kind, version } = read.data;
      const versions = counts.get(kind) ?? new Map<number, Record<Place, number>>();
      counts.set(kind, versions);
      const places = versions.get(version) ?? { ...NOWHERE };
      versions.set(version, places);
      places[place]++;
    },
    versionsOf: (kind) => [...(counts.get(kind) ?? [])].sort(([a], [b]) => a - b).map(([version, places]) => ({ version, ...places })),
    kinds: () => [...counts.keys()].sort(),
    unreadable: () => ({ ...unreadable }),
  };
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
