import { isDeepStrictEqual } from 'node:util';
import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { ItemWritten } from '../observer.ts';
import { type Image, isOurs, numberOf, recordOf } from './item-views.ts';
import { comparedWith, type WriteInput, writeInputOf } from './named-values.ts';

/** Clocks may be this wrong. */
const CLOCK_ERROR_MS = 5 * 60_000;

/** Judged by what the write's condition names, so that a write that was merely lucky is seen too. */
export const fencing: Invariant = {
  id: 'S7',
  promise: "every write under a lease names the live owner and fence, the fence only rises, and nobody frees another's item",
  watch(_, violate) {
    return {
      itemWritten(written) {
        const { table, id, by, call } = written;
        const write = table === TABLES.state && call !== undefined ? writeInputOf(call, id) : undefined;
        if (write === undefined || !isOurs(by)) return;
        const wrong = judge(written, write);
        if (wrong !== undefined) violate(`${id}: ${by} ${wrong}`);
      },
    };
  },
};

function judge({ old, next, atMs }: ItemWritten, write: WriteInput): string | undefined {
  const isHeld = old?.['lease'] === 'held';
  if (next === undefined) return isHeld ? 'deletes a held item' : undefined;
  const [before, after] = [numberOf(old, 'fence'), numberOf(next, 'fence')];
  if (after < before) return `lowers the fence from ${before} to ${after}`;
  if (after > before + 1) return `raises the fence from ${before} to ${after}`;
  if (old === undefined) return undefined;
  if (after === before + 1) return isHeld ? judgeTakeover(old, write, atMs) : undefined;
  if (isOnlyMarks(old, next)) return undefined;
  return isHeld ? judgeHolder(old, write) : `changes ${changedNames(old, next).join(', ')} without a lease`;
}

/** A successor comes in over a lease only after its deadline, on a clock that is not too wrong. */
function judgeTakeover(old: Image, write: WriteInput, atMs: number): string | undefined {
  const untilMs = numberOf(old, 'leaseUntilMs');
  const nowMs = comparedWith(write, 'leaseUntilMs', '<').find((value) => typeof value === 'number');
  if (nowMs === undefined) return 'takes a held item without asking for its deadline';
  if (nowMs > atMs + CLOCK_ERROR_MS) return `takes a held item by a clock that is ${nowMs - atMs} ms ahead`;
  return nowMs > untilMs ? undefined : `takes an item that is held for another ${untilMs - nowMs} ms`;
}

function judgeHolder(old: Image, write: WriteInput): string | undefined {
  const owners = comparedWith(write, 'leaseOwner', '=');
  const fences = comparedWith(write, 'fence', '=');
  if (owners.length === 0) return 'writes a held item without naming its owner';
  if (fences.length === 0) return 'writes a held item without naming its fence';
  const isLive = owners.every((owner) => owner === old['leaseOwner']) && fences.every((fence) => fence === old['fence']);
  return isLive ? undefined : `writes the item ${old['leaseOwner']} holds`;
}

/**
 * What others may write to an item, held or not, because no run depends on it: the overdue mark, that a letter is out, and opening
 * a discarded operation again.
 */
function isOnlyMarks(old: Image, next: Image): boolean {
  const changed = changedNames(old, next);
  const rearmed = changed
    .filter((name) => name.startsWith('op:') && next[name] === undefined && isDiscarded(old, name))
    .map((name) => name.slice(3));
  return changed.every(
    (name) =>
      name === 'overdueShard' ||
      name === 'overdueAtMs' ||
      (name.startsWith('op:') && isOnlyBuried(old[name], next[name])) ||
      rearmed.some(
        (operation) =>
          name === `op:${operation}` || ((name === `try:${operation}` || name === `due:${operation}`) && next[name] === undefined),
      ),
  );
}

const isDiscarded = (image: Image, name: string): boolean => recordOf(image, name.slice(3))?.status === 'discarded';

const isOnlyBuried = (before: unknown, after: unknown): boolean =>
  after !== undefined && isDeepStrictEqual({ ...(before as object), buried: true }, { ...(after as object), buried: true });

const changedNames = (old: Image, next: Image): string[] =>
  [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(
    (name) => old[name] !== next[name] && !isDeepStrictEqual(old[name], next[name]),
  );
