import type { FakeDynamodb } from '../../support/fake-aws/fake-dynamodb.ts';
import type { World } from '../kernel/world.ts';
import type { Lambda } from './lambda.ts';
import { TABLES } from './names.ts';
import type { QueueMapping } from './queue-mapping.ts';
import { createSchedule } from './schedule.ts';

export interface Schedules {
  /** Something in this table changed. */
  poke(table: string): void;
  /** Somebody switches all of them off. */
  stop(): void;
  readonly stopped: boolean;
}

interface SchedulesParts {
  readonly world: World;
  readonly lambda: Lambda;
  readonly dynamodb: FakeDynamodb;
  readonly mappings: ReadonlyMap<string, QueueMapping>;
}

/** Rows of the Control table that say something about a queue. */
const GOVERNED = /^(breaker|pause|slow|mapping):/;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The sweep goes on every five minutes until it is done; a table this small is done at once, unless something fails. */
const SWEEP_TRIES_MS = [0, 5, 10, 20, 60].map((minutes) => minutes * MINUTE_MS);
/** Clocks are five minutes wrong at most; a run that looks a little too early or late finds nothing and costs nothing. */
const SKEW_MS = 5 * MINUTE_MS;

/** rescue-jobs and govern-queues each minute, verify-cache every ten minutes in which somebody could be answered from the cache, sweep-state each day. */
export function createSchedules({ world, lambda, dynamodb, mappings }: SchedulesParts): Schedules {
  let stopped = false;
  const run = (functionName: string) => (): void => {
    if (stopped || lambda.running(functionName) > 0) return;
    lambda.invoke(functionName, {}, () => rescue.poke());
  };
  const earliest = (table: string, name: string): number => {
    let least = Number.POSITIVE_INFINITY;
    for (const { item } of dynamodb.entries(table)) {
      const instant = item[name]?.N;
      if (instant !== undefined) least = Math.min(least, Number(instant) - SKEW_MS);
    }
    return least;
  };
  const isGoverned = (): boolean => {
    for (const { item } of dynamodb.entries(TABLES.control)) if (GOVERNED.test(item['id']?.S ?? '')) return true;
    return false;
  };
  const isCached = (): boolean => {
    for (const { item } of dynamodb.entries(TABLES.cache)) if (Number(item['expiresAtMs']?.N) > world.nowMs) return true;
    return false;
  };
  const governed = (): boolean =>
    isGoverned() ||
    [...mappings.values()].some((mapping) => !mapping.enabled || mapping.maxConcurrency !== mapping.definition.maxConcurrency);

  const rescue = createSchedule(world, {
    everyMs: MINUTE_MS,
    nextMs: () => Math.min(earliest(TABLES.state, 'overdueAtMs'), earliest(TABLES.control, 'deadlineMs')),
    run: run('rescue-jobs'),
  });
  const govern = createSchedule(world, {
    everyMs: MINUTE_MS,
    nextMs: () => (governed() ? world.nowMs : Number.POSITIVE_INFINITY),
    run: run('govern-queues'),
  });
  const verify = createSchedule(world, {
    everyMs: 10 * MINUTE_MS,
    nextMs: () => (isCached() ? world.nowMs : Number.POSITIVE_INFINITY),
    run: run('verify-cache'),
  });
  const sweep = run('sweep-state');
  for (const afterMs of SWEEP_TRIES_MS) {
    const tick = (): void => {
      sweep();
      world.after(DAY_MS, tick);
    };
    world.after(DAY_MS - (world.nowMs % DAY_MS) + afterMs, tick);
  }
  return {
    poke(table) {
      if (table === TABLES.state || table === TABLES.control) rescue.poke();
      if (table === TABLES.control) govern.poke();
      if (table === TABLES.cache) verify.poke();
    },
    stop() {
      stopped = true;
    },
    get stopped() {
      return stopped;
    },
  };
}
