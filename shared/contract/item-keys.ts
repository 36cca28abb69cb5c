/** Where things live in the State table. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

export const USER_PREFIX = 'USER#';
export const ORDER_PREFIX = 'ORDER#';
export const JOB_PREFIX = 'JOB#';
export const STOCK_PREFIX = 'SKU#';

/** How the partitions of a kind begin whose jobs have items of their own. */
export const jobPartitions = (kind: string): string => `${JOB_PREFIX}${kind}#`;

/** A user's orders are one collection, so a summary is one strongly consistent Query. */
export const userPartition = (userId: string): string => `${USER_PREFIX}${userId}`;

export const orderItemKey = (userId: string, orderId: string): ItemKey => ({ pk: userPartition(userId), sk: `${ORDER_PREFIX}${orderId}` });

/** How much there is of one article. Unboundedly many jobs change it, so none of them leaves anything of its own on it. */
export const stockItemKey = (sku: string): ItemKey => ({ pk: `${STOCK_PREFIX}${sku}`, sk: 'STOCK' });

/**
 * The item of a job that changes no business object. Jobs of one FIFO group share a partition: the stream keeps the order of
 * writes within a partition only, and it is the stream that brings them to their queue.
 */
export const jobItemKey = (kind: string, idempotencyKey: string, fifoGroup?: string): ItemKey =>
  fifoGroup === undefined
    ? { pk: `${jobPartitions(kind)}${idempotencyKey}`, sk: 'JOB' }
    : { pk: `${jobPartitions(kind)}${fifoGroup}`, sk: `JOB#${idempotencyKey}` };
