import { LEASE_GRACE_MS } from '#shared/contract/limits.ts';
import { workerOfKind } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { Observer } from '../observer.ts';
import { type Image, idOf } from './item-views.ts';
import { stateImages } from './promised-jobs.ts';

const SKEW_MS = 5 * 60_000;
/** A write may arrive after its sender stood still, or on the SDK's last try. */
const LATE_MS = 60 * 60_000;
const TOKEN_MS = 5_000;
const MAPPING_OFF_MS = 5 * 60_000;
/** Both calls of a probe. */
const PROBE_MS = 60_000;

/** Not only items: a fill token, a probe's place and a mapping that was turned off are held by somebody who may die, too. */
export const leaseDeadlines: Invariant = {
  id: 'L8',
  promise: 'whatever is held has a deadline that comes soon, free items name nobody, and at rest every lease has passed',
  watch(simulation, violate) {
    const longestMs = new Map(
      simulation.jobQueues.map(({ definition: { kind }, functionTimeoutMs }) => [workerOfKind(kind), functionTimeoutMs + LEASE_GRACE_MS]),
    );
    const judge = (what: string, untilMs: unknown, atMs: number, mostMs: number): void => {
      const aheadMs = Number(untilMs ?? Number.NaN) - atMs;
      if (!(aheadMs >= -LATE_MS && aheadMs <= mostMs + SKEW_MS)) violate(`${what} is held until ${untilMs}, ${aheadMs} ms from now`);
    };
    const look = (): void => {
      for (const image of stateImages(simulation)) {
        const leftMs = Number(image['leaseUntilMs']) - simulation.world.nowMs;
        if (image['lease'] === 'held' && !(leftMs <= SKEW_MS)) violate(`the lease of ${idOf(image as never)} does not pass`);
      }
    };
    const watched: Observer = {
      itemWritten({ table, id, old, next, by = '', atMs }) {
        if (next === undefined) return;
        if (table === 'State') {
          const isTaken = next['leaseUntilMs'] !== old?.['leaseUntilMs'] || next['fence'] !== old?.['fence'];
          if (next['lease'] === 'held' && isTaken) judge(id, next['leaseUntilMs'], atMs, longestMs.get(by.split('#')[0] ?? '') ?? 0);
          if (next['lease'] === 'free' && namesSomebody(next)) violate(`${id} is free and still names its owner`);
        } else if (table === 'Cache') {
          if (next['token'] !== undefined && next['token'] !== old?.['token']) judge(`${id} (token)`, next['tokenUntilMs'], atMs, TOKEN_MS);
        } else if (table === 'Control') {
          if (id.startsWith('mapping:')) judge(id, next['deadlineMs'], atMs, MAPPING_OFF_MS);
          if (next['state'] === 'half-open') judge(`${id} (probe)`, next['probeUntilMs'], atMs, PROBE_MS);
        }
      },
      rested: look,
      finished: look,
    };
    return watched;
  },
};

const namesSomebody = (image: Image): boolean => ['leaseOwner', 'leaseOp', 'leaseUntilMs'].some((name) => image[name] !== undefined);
