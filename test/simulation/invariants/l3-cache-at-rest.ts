import { fromAttributeValues } from '#shared/aws/attribute-values.ts';
import { SETTINGS } from '../cloud/functions.ts';
import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { createCommittedVersions, saysTheSame } from './committed-versions.ts';

/** Every clock agrees that a value is over this long after its end. */
const SKEW_MS = 5 * 60_000;

/**
 * No invalidation follows a table that was replaced: what the cache holds of the old one ends by its time to live, on whichever clock it
 * was written and is read.
 */
const OUTLIVED_MS = 1_000 * SETTINGS.cacheTtlSeconds + 2 * SKEW_MS;

export const cacheAtRest: Invariant = {
  id: 'L3',
  promise: 'at rest every value the cache still serves equals the table',
  watch(simulation, violate) {
    const committed = createCommittedVersions();
    let restoredAtMs = Number.NEGATIVE_INFINITY;
    const look = (): void => {
      const { nowMs } = simulation.world;
      for (const item of simulation.dynamodb.items(TABLES.cache)) {
        const { key, value, version, expiresAtMs } = fromAttributeValues(item as never) as Readonly<Record<string, unknown>>;
        if (value === undefined || Number(expiresAtMs) + SKEW_MS <= nowMs) continue;
        simulation.happened('a cached value at rest');
        const inForce = committed.inForce(String(key), nowMs);
        const isTrue = committed.under(String(key), inForce).some((state) => saysTheSame(JSON.parse(String(value)), state));
        if (version !== inForce || !isTrue) violate(`${key} still holds version ${version}; the table is at ${inForce}`);
      }
    };
    return {
      itemWritten: (written) => committed.written(written),
      disturbed(what) {
        if (what === 'restore') restoredAtMs = simulation.world.nowMs;
      },
      rested() {
        if (simulation.world.nowMs - restoredAtMs > OUTLIVED_MS) look();
      },
      finished: look,
    };
  },
};
