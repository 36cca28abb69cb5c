import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import { readWork } from '#shared/rescue/derive-work.ts';
import type { FollowUp } from '#shared/rescue/implied-work.ts';
import type { StateScan } from '#shared/rescue/sweep.ts';
import { isQuiet, isWorthFollowing } from '#shared/rescue/timing.ts';

/** Jobs a walk over the table would send, because the state of an item calls for them and nothing has happened to it for a while. */
export interface LostWork {
  readonly looked: number;
  readonly unreadable: number;
  /** By kind. */
  readonly jobs: Readonly<Record<string, number>>;
  /** Keys of the first of them. */
  readonly first: readonly string[];
}

export interface LostWorld {
  readonly scan: StateScan;
  read(keys: readonly ItemKey[]): Promise<readonly ItemImage[]>;
  readonly keyHorizonMs: number;
  readonly timeScale: number;
  readonly nowMs: number;
}

const FIRST = 20;

/** Reads the whole table, page by page, and changes nothing. */
export async function findLost(world: LostWorld, onProgress: (looked: number) => void = () => undefined): Promise<LostWork> {
  const jobs: Record<string, number> = {};
  const first: string[] = [];
  let [looked, unreadable] = [0, 0];
  let after: ItemKey | undefined;
  do {
    const { items, next } = await world.scan.page(0, 1, after);
    looked += items.length;
    const quiet = items.filter((image) => isQuiet(image, world.nowMs, world.timeScale));
    const works = quiet.map((image) => readWork(image, world.keyHorizonMs));
    unreadable += works.filter((work) => work === undefined).length;
    const known = works.filter((work) => work !== undefined);
    const lost = [
      ...known.flatMap((work) => work.jobs),
      ...(await neverBegun(
        known.flatMap((work) => work.followUps),
        world,
      )),
    ];
    for (const { message } of lost) {
      jobs[message.kind] = (jobs[message.kind] ?? 0) + 1;
      if (first.length < FIRST) first.push(message.idempotencyKey);
    }
    after = next;
    onProgress(looked);
  } while (after !== undefined);
  return { looked, unreadable, jobs, first };
}

/** Once there is an item of its own, a job began. */
async function neverBegun(followUps: readonly FollowUp[], { read, nowMs }: LostWorld): Promise<FollowUp['job'][]> {
  const worth = followUps.filter(({ sinceMs }) => isWorthFollowing(sinceMs, nowMs));
  const begun = new Set((await read(worth.map(({ ownItem }) => ownItem))).map(({ pk, sk }) => `${String(pk)}\n${String(sk)}`));
  return worth.filter(({ ownItem: { pk, sk } }) => !begun.has(`${pk}\n${sk}`)).map(({ job }) => job);
}
