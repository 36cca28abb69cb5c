import { hash } from 'node:crypto';
import type { Attribute, Item } from './attribute.ts';
import { compareDecimals } from './decimal.ts';

/**
 * Items in the order the service reads them: partitions by a hash of the partition key, items of a partition by sort key,
 * equal sort keys (possible in an index) by the table's own key.
 */
export interface Position {
  readonly partition: string;
  readonly sort: Attribute | undefined;
  readonly id: string;
}
export interface Entry extends Position {
  readonly item: Item;
}

export interface ReadableCollection {
  find(id: string): Entry | undefined;
  inPartition(partition: string): readonly Entry[];
  all(): readonly Entry[];
}
export interface Collection extends ReadableCollection {
  /** In no order, which is far cheaper than in the one of a scan. */
  entries(): Iterable<Entry>;
  put(entry: Entry): void;
  remove(id: string): void;
}

const known = new Map<string, string>();
const KNOWN_LIMIT = 10_000;

/** The first eight digits decide order and scan segment, as a hash ring would. */
export function partitionOf(value: Attribute): string {
  const text = JSON.stringify(value);
  const before = known.get(text);
  if (before !== undefined) return before;
  const partition = `${hash('md5', text).slice(0, 8)}${text}`;
  if (known.size === KNOWN_LIMIT) known.clear();
  known.set(text, partition);
  return partition;
}

const RING = 2 ** 32;
export const segmentOf = (partition: string, totalSegments: number): number =>
  Math.floor((Number.parseInt(partition.slice(0, 8), 16) / RING) * totalSegments);

export function comparePositions(left: Position, right: Position): number {
  return compareText(left.partition, right.partition) || compareSort(left.sort, right.sort) || compareText(left.id, right.id);
}

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

function compareSort(left: Attribute | undefined, right: Attribute | undefined): number {
  if (!left || !right) return 0;
  if (left.N !== undefined && right.N !== undefined) return compareDecimals(left.N, right.N);
  if (left.S !== undefined && right.S !== undefined) return compareUtf8(left.S, right.S);
  return Buffer.compare(Buffer.from(left.B ?? '', 'base64'), Buffer.from(right.B ?? '', 'base64'));
}

/** The order of the bytes: the one of UTF-16, but for characters outside the plane of most. */
function compareUtf8(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  for (let index = 0; index < end; index++) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (a !== b) return Number(isSurrogate(a)) - Number(isSurrogate(b)) || a - b;
  }
  return left.length - right.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

export function createCollection(): Collection {
  const byId = new Map<string, Entry>();
  /** Each in order; an array is never changed, so that one given out stays as it is. */
  const partitions = new Map<string, readonly Entry[]>();
  let sorted: readonly Entry[] | undefined;

  const remove = (id: string): void => {
    const entry = byId.get(id);
    if (!entry) return;
    sorted = undefined;
    byId.delete(id);
    const rest = (partitions.get(entry.partition) ?? []).filter((one) => one !== entry);
    if (rest.length > 0) partitions.set(entry.partition, rest);
    else partitions.delete(entry.partition);
  };
  const replace = (before: Entry, entry: Entry): void => {
    const entries = partitions.get(entry.partition) as readonly Entry[];
    partitions.set(entry.partition, entries.with(entries.indexOf(before), entry));
  };
  const insert = (entry: Entry): void => {
    const entries = partitions.get(entry.partition) ?? [];
    partitions.set(entry.partition, entries.toSpliced(placeIn(entries, entry), 0, entry));
  };
  return {
    put(entry) {
      const before = byId.get(entry.id);
      const stays = before !== undefined && comparePositions(before, entry) === 0;
      if (!stays) remove(entry.id);
      sorted = undefined;
      byId.set(entry.id, entry);
      if (stays) replace(before, entry);
      else insert(entry);
    },
    remove,
    find: (id) => byId.get(id),
    inPartition: (partition) => partitions.get(partition) ?? [],
    entries: () => byId.values(),
    all() {
      sorted ??= [...partitions.keys()].sort().flatMap((partition) => partitions.get(partition) ?? []);
      return sorted;
    },
  };
}

/** Where it belongs, by halves. */
function placeIn(entries: readonly Entry[], entry: Position): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePositions(entries[middle] as Entry, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A collection as it was when these entries had other contents, or none. */
export function overlaid(base: ReadableCollection, changed: ReadonlyMap<string, Entry | undefined>): ReadableCollection {
  const others = (entries: readonly Entry[]): Entry[] => entries.filter(({ id }) => !changed.has(id));
  const past = [...changed.values()].filter((entry) => entry !== undefined);
  return {
    find: (id) => (changed.has(id) ? changed.get(id) : base.find(id)),
    inPartition: (partition) =>
      [...others(base.inPartition(partition)), ...past.filter((entry) => entry.partition === partition)].sort(comparePositions),
    all: () => [...others(base.all()), ...past].sort(comparePositions),
  };
}
