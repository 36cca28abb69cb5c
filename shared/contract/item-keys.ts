/** Where things live in the State table. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

export const USER_PREFIX = 'USER#';
export const ORDER_PREFIX = 'ORDER#';
export const JOB_PREFIX = 'JOB#';

/** A user's orders are one collection, so a summary is one strongly consistent Query. */
export const userPartition = (userId: string): string => `${USER_PREFIX}${userId}`;

export const orderItemKey = (userId: string, orderId: string): ItemKey => ({ pk: userPartition(userId), sk: `${ORDER_PREFIX}${orderId}` });

/** The item of a job that changes no business object. */
export const jobItemKey = (kind: string, idempotencyKey: string): ItemKey => ({ pk: `${JOB_PREFIX}${kind}#${idempotencyKey}`, sk: 'JOB' });
