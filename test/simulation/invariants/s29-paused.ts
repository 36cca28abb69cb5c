import { TABLES, workerOfKind } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { idOf, jobOf, keyIn } from './item-views.ts';

/** A worker looks at the pause at most this late (shared/worker/gate.ts). */
const LOOK_MS = 1_000;
/** Whatever began before the pause has ended by then, one that stood still too. */
const LONGEST_RUN_MS = 15 * 60_000;

/** Judged by when a job's message came to a worker: one that had it before the pause may go on with it. */
export const paused: Invariant = {
  id: 'S29',
  promise: 'no job of a paused kind is begun by a worker that got it more than a second after the pause',
  watch({ world, jobQueues }, violate) {
    const pausedAtMs = new Map<string, number>();
    const deliveredAtMs = new Map<string, number[]>();
    const kinds = new Map(jobQueues.map(({ definition }) => [workerOfKind(definition.kind), definition.kind]));
    return {
      messagesDelivered(_, records) {
        for (const { body } of records) {
          const key = keyIn(body) ?? '';
          deliveredAtMs.set(key, [...(deliveredAtMs.get(key) ?? []), world.nowMs].slice(-MOST_DELIVERIES));
        }
      },
      itemWritten({ table, id, old, next, by = '', atMs }) {
        const [, pausedKind] = table === TABLES.control ? (/^pause:(.+)$/.exec(id) ?? []) : [];
        if (pausedKind !== undefined && next === undefined) pausedAtMs.delete(pausedKind);
        else if (pausedKind !== undefined && old === undefined) pausedAtMs.set(pausedKind, atMs);
        if (table !== TABLES.state || next?.['lease'] !== 'held' || next['fence'] === old?.['fence']) return;
        const sinceMs = pausedAtMs.get(kinds.get(by.split('#')[0] ?? '') ?? '');
        if (sinceMs === undefined) return;
        const keys = [...deliveredAtMs.keys()].filter((key) => {
          const job = jobOf(key);
          return job !== undefined && idOf(job.item) === id && job.operation === next['leaseOp'];
        });
        const deliveries = keys.flatMap((key) => deliveredAtMs.get(key) ?? []);
        const couldNotKnow = deliveries.some((one) => one <= sinceMs + LOOK_MS && one > atMs - LONGEST_RUN_MS);
        if (deliveries.length > 0 && !couldNotKnow)
          violate(`${by} begins ${keys[0]}, ${Math.round((atMs - sinceMs) / 1000)} s after its kind was paused`);
      },
    };
  },
};

const MOST_DELIVERIES = 200;
