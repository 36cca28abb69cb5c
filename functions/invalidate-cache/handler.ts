import { changedKeys, type StreamRecord } from '#shared/cache/changed-keys.ts';
import { type ParkedChange, parkedKey, parkedRecord } from '#shared/cache/parked-change.ts';
import { StatedError } from '#shared/contract/stated-error.ts';

/**
 * Stream record → cache keys → invalidated. What fails goes to the retry queue and holds up nothing else; only what can be
 * neither invalidated nor parked is left to the stream.
 */
export interface InvalidateCacheWorld<Answer> {
  readonly invalidate: (key: string) => Promise<void>;
  /** Sends to the retry queue. @returns ids of what was not accepted; may also throw */
  readonly park: (entries: readonly { id: string; body: string }[]) => Promise<{ failed: readonly { id: string }[] }>;
  readonly answerStreamBatch: (failures: readonly { sequenceNumber: string | undefined }[]) => Answer;
  /** Members of the log line that count what failed. */
  readonly measure: (failures: number) => Record<string, unknown>;
  readonly log: {
    info(message: string, fields: Record<string, unknown>): void;
    error(message: string, fields: Record<string, unknown>): void;
  };
}

/** One piece of work and the records that asked for it. */
interface Task {
  readonly parked: ParkedChange;
  /** undefined for a record that cannot be read. */
  readonly key: string | undefined;
  readonly sequenceNumbers: (string | undefined)[];
}
interface Failure {
  readonly task: Task;
  readonly reason: string;
}

export const invalidateCache =
  <Answer>(world: InvalidateCacheWorld<Answer>) =>
  async ({ Records: records }: { readonly Records: readonly StreamRecord[] }): Promise<Answer> => {
    const tasks = tasksOf(records);
    const failures = await invalidateAll(tasks, world);
    const left = failures.length === 0 ? [] : await parkAll(failures, world);
    const failedTasks = new Set(failures.map(({ task }) => task));
    const keys = tasks.filter((task) => !failedTasks.has(task)).map(({ key }) => key);
    const fields = { records: records.length, invalidated: keys.length, keys };
    if (failures.length === 0) world.log.info('cache invalidated', fields);
    else
      world.log.error('cache invalidated in part', {
        ...fields,
        parked: failures.length - left.length,
        left: left.length,
        reasons: reasonsOf(failures, left),
        ...world.measure(failures.length),
      });
    return world.answerStreamBatch(left.flatMap(({ task }) => task.sequenceNumbers.map((sequenceNumber) => ({ sequenceNumber }))));
  };

/** Each key once, however many records of the batch changed it: all of them are committed already. */
function tasksOf(records: readonly StreamRecord[]): Task[] {
  const byKey = new Map<string, Task>();
  const unreadable: Task[] = [];
  for (const record of records) {
    const sequenceNumber = record.dynamodb?.SequenceNumber;
    const changed = changedKeys(record);
    if (changed.kind === 'unreadable') unreadable.push({ key: undefined, parked: parkedRecord(record), sequenceNumbers: [sequenceNumber] });
    else for (const key of changed.keys) taskOf(byKey, key).sequenceNumbers.push(sequenceNumber);
  }
  return [...byKey.values(), ...unreadable];
}

function taskOf(byKey: Map<string, Task>, key: string): Task {
  const task = byKey.get(key) ?? { key, parked: parkedKey(key), sequenceNumbers: [] };
  byKey.set(key, task);
  return task;
}

async function invalidateAll(tasks: readonly Task[], world: InvalidateCacheWorld<unknown>): Promise<Failure[]> {
  const failures = await Promise.all(tasks.map((task) => invalidateOne(task, world)));
  return failures.filter((failure) => failure !== undefined);
}

async function invalidateOne(task: Task, { invalidate }: InvalidateCacheWorld<unknown>): Promise<Failure | undefined> {
  if (task.key === undefined) return { task, reason: 'unreadable-record' };
  try {
    await invalidate(task.key);
    return undefined;
  } catch (error) {
    return { task, reason: reasonOf(error) };
  }
}

/** @returns what the retry queue did not take */
async function parkAll(failures: readonly Failure[], { park }: InvalidateCacheWorld<unknown>): Promise<Failure[]> {
  try {
    const { failed } = await park(failures.map(({ task }, index) => ({ id: String(index), body: JSON.stringify(task.parked) })));
    const refused = new Set(failed.map(({ id }) => id));
    return failures.filter((_, index) => refused.has(String(index))).map(({ task }) => ({ task, reason: 'refused-by-retry-queue' }));
  } catch (error) {
    return failures.map(({ task }) => ({ task, reason: `retry-queue-${nameOf(error)}` }));
  }
}

/** Our own sentence where there is one; it says what to do. */
const reasonOf = (error: unknown): string => (error instanceof StatedError ? error.message : nameOf(error));
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');
const reasonsOf = (...lists: (readonly Failure[])[]): string[] => [...new Set(lists.flat().map(({ reason }) => reason))];
