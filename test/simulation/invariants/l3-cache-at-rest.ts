import { fromAttributeValues } from '#shared/aws/attribute-values.ts';
import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { createCommittedVersions, saysTheSame } from './committed-versions.ts';

/** Every clock agrees that a value is over this long after its end. */
const SKEW_MS = 5 * 60_000;

export const cacheAtRest: Invariant = {
  id: 'L3',
  promise: 'at rest every value the cache still serves equals the table',
  watch(simulation, violate) {
    const committed = createCommittedVersions();
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
    return { itemWritten: (written) => committed.written(written), rested: look, finished: look };
  },
};
