import { createHash } from 'node:crypto';
import type { Attribute, Item } from './attribute.ts';

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

export interface Collection {
  put(entry: Entry): void;
  remove(id: string): void;
  find(id: string): Entry | undefined;
  inPartition(partition: string): readonly Entry[];
  all(): readonly Entry[];
}

/** The first eight digits decide order and scan segment, as a hash ring would. */
export function partitionOf(value: Attribute): string {
  const text = JSON.stringify(value);
  return `${createHash('md5').update(text).digest('hex').slice(0, 8)}${text}`;
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
  if (left.N !== undefined && right.N !== undefined) return compareNumbers(left.N, right.N);
  const encoding = left.B === undefined ? 'utf8' : 'base64';
  return Buffer.compare(Buffer.from(left.S ?? left.B ?? '', encoding), Buffer.from(right.S ?? right.B ?? '', encoding));
}

/** Exact for plain decimals of any length, which is how numbers are stored. */
function compareNumbers(left: string, right: string): number {
  const [negativeLeft, negativeRight] = [left.startsWith('-'), right.startsWith('-')];
  if (negativeLeft !== negativeRight) return negativeLeft ? -1 : 1;
  const order = compareMagnitudes(left.replace('-', ''), right.replace('-', ''));
  return negativeLeft ? -order : order;
}

function compareMagnitudes(left: string, right: string): number {
  const [wholeLeft = '', fractionLeft = ''] = left.split('.');
  const [wholeRight = '', fractionRight = ''] = right.split('.');
  const width = Math.max(fractionLeft.length, fractionRight.length);
  return (
    wholeLeft.length - wholeRight.length ||
    compareText(wholeLeft, wholeRight) ||
    compareText(fractionLeft.padEnd(width, '0'), fractionRight.padEnd(width, '0'))
  );
}

export function createCollection(): Collection {
  const byId = new Map<string, Entry>();
  const partitions = new Map<string, Map<string, Entry>>();
  let sorted: readonly Entry[] | undefined;

  const remove = (id: string): void => {
    const entry = byId.get(id);
    if (!entry) return;
    sorted = undefined;
    byId.delete(id);
    partitions.get(entry.partition)?.delete(id);
  };
  return {
    put(entry) {
      remove(entry.id);
      sorted = undefined;
      byId.set(entry.id, entry);
      const partition = partitions.get(entry.partition) ?? new Map<string, Entry>();
      partitions.set(entry.partition, partition.set(entry.id, entry));
    },
    remove,
    find: (id) => byId.get(id),
    inPartition: (partition) => [...(partitions.get(partition)?.values() ?? [])].sort(comparePositions),
    all() {
      sorted ??= [...byId.values()].sort(comparePositions);
      return sorted;
    },
  };
}
