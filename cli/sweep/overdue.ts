import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import { readWork } from '#shared/rescue/derive-work.ts';
import type { OverdueIndex, OverdueKey } from '#shared/rescue/rescue-overdue.ts';
import { isBeingWorkedOn } from '#shared/rescue/timing.ts';
import { nameOf } from '../explain/attention.ts';

/** What the rescue makes of an item whose mark has come due; the rescue itself decides, a moment later. */
export type Outlook =
  | 'send'
  /** Paused, or behind an open circuit. */
  | 'held-back'
  /** A worker is at it. */
  | 'waiting'
  /** A declined order's next payment attempt. */
  | 'open-attempt'
  | 'mark-removed'
  | 'unreadable'
  /** Cared for since the index was read. */
  | 'gone';

export interface OverdueItem {
  readonly name: string;
  readonly overdueAtMs: number;
  /** Keys of the jobs it calls for. */
  readonly jobs: readonly string[];
  readonly outlook: Outlook;
}

export interface OverdueList {
  readonly items: readonly OverdueItem[];
  /** There are more than one run of the rescue looks at. */
  readonly more: boolean;
}

export interface OverdueWorld {
  readonly index: OverdueIndex;
  /** Strongly consistent; missing ones are missing. */
  read(keys: readonly ItemKey[]): Promise<readonly ItemImage[]>;
  isClosedFor(kind: string): Promise<boolean>;
  readonly keyHorizonMs: number;
  readonly nowMs: number;
}

/** As many pages as one run of the rescue goes through. */
const MAX_PAGES = 20;

/** Looks only. */
export async function listOverdue(world: OverdueWorld): Promise<OverdueList> {
  const items: OverdueItem[] = [];
  let after: OverdueKey | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { keys, more } = await world.index.page(world.nowMs, after);
    const images = new Map((await world.read(keys.map(({ pk, sk }) => ({ pk, sk })))).map((image) => [idOf(image), image]));
    for (const key of keys) items.push(await outlookOf(key, images.get(idOf(key)), world));
    after = keys.at(-1);
    if (!more || after === undefined) return { items, more: false };
  }
  return { items, more: true };
}

const idOf = ({ pk, sk }: ItemImage | ItemKey): string => `${String(pk)}\n${String(sk)}`;

async function outlookOf(key: OverdueKey, image: ItemImage | undefined, world: OverdueWorld): Promise<OverdueItem> {
  const { name } = nameOf(image ?? { pk: key.pk, sk: key.sk });
  const found = (outlook: Outlook, jobs: readonly string[] = []): OverdueItem => ({ name, overdueAtMs: key.overdueAtMs, jobs, outlook });
  if (image === undefined || typeof image['overdueAtMs'] !== 'number' || image['overdueAtMs'] > world.nowMs) return found('gone');
  const work = readWork(image, world.keyHorizonMs);
  if (work === undefined) return found('unreadable');
  const keys = work.jobs.map(({ message }) => message.idempotencyKey);
  if (keys.length === 0) return found(work.scheduledAttempt === undefined ? 'mark-removed' : 'open-attempt');
  if (isBeingWorkedOn(image, world.nowMs)) return found('waiting', keys);
  const closed = await Promise.all(work.jobs.map(({ message }) => world.isClosedFor(message.kind)));
  return found(closed.includes(false) ? 'send' : 'held-back', keys);
}
