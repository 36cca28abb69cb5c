import { type ItemKey, jobItemKey } from '#shared/contract/item-keys.ts';
import type { ItemNumber } from '#shared/item/conditions.ts';
import type { AnyJobDefinition } from './define-job.ts';

/** The item a job works on and the operation's name there. */
export interface JobTarget {
  readonly key: ItemKey;
  readonly operation: string;
  /** The item is the job's own, created by whoever writes it first. */
  readonly own: boolean;
  readonly current?: ItemNumber | undefined;
}

/** The operation's name on a job's own item. */
const OWN_OPERATION = 'run';

/** @param payload checked by the definition's own schema before */
export function targetOf(definition: AnyJobDefinition, payload: unknown): JobTarget {
  const { kind, key, item, operation, current, queue } = definition;
  if (item === undefined) return { key: jobItemKey(kind, key(payload), queue.fifoGroup?.(payload)), operation: OWN_OPERATION, own: true };
  if (operation === undefined) throw new Error(`job kind ${kind} names an item and no operation on it`);
  return { key: item(payload), operation: operation(payload), own: false, current: current?.(payload) };
}
