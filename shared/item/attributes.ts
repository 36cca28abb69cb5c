/** Names of the protocol's attributes on an item. Per operation they are top level, because an update can create them without a parent. */
export const operationAttribute = (operation: string): string => `op:${operation}`;
export const attemptsAttribute = (operation: string): string => `try:${operation}`;
export const sentAttribute = (operation: string): string => `sent:${operation}`;
export const dueAttribute = (operation: string): string => `due:${operation}`;
export const intentAttribute = (operation: string): string => `hash:${operation}`;

/** A customer's request that was taken, by the hash of its idempotency key. */
export const requestAttribute = (requestId: string): string => `req:${requestId}`;

const OPERATION_PREFIXES = ['op:', 'try:', 'sent:', 'due:', 'hash:', 'req:'];

const PROTOCOL_ATTRIBUTES = new Set([
  'pk',
  'sk',
  'version',
  'fence',
  'lease',
  'leaseOwner',
  'leaseOp',
  'leaseUntilMs',
  'outbox',
  'outboxAtMs',
  'overdueShard',
  'overdueAtMs',
  'lastError',
  'requests',
  'message',
  'expiresAt',
]);

/** Whether an attribute belongs to the protocol; a job's change may not touch those. */
export const isProtocolAttribute = (name: string): boolean =>
  PROTOCOL_ATTRIBUTES.has(name) || OPERATION_PREFIXES.some((prefix) => name.startsWith(prefix));

export type ItemImage = Readonly<Record<string, unknown>>;

/** What stays on an item of a finished operation. */
export interface OperationRecord {
  readonly status: 'completed' | 'discarded';
  /** `completed`: what a duplicate gets back. `discarded`: the reason. */
  readonly result?: unknown;
  readonly reason?: string;
  readonly hash: string;
  readonly atMs: number;
  readonly by: string;
  readonly fence: number;
  readonly tries: number;
  /** The dead letter is out. */
  readonly buried?: boolean;
}

const numberIn = (image: ItemImage, name: string): number => (typeof image[name] === 'number' ? image[name] : 0);

export const operationRecord = (image: ItemImage, operation: string): OperationRecord | undefined =>
  image[operationAttribute(operation)] as OperationRecord | undefined;
export const attemptsSpent = (image: ItemImage, operation: string): number => numberIn(image, attemptsAttribute(operation));
export const attemptsSent = (image: ItemImage, operation: string): number => numberIn(image, sentAttribute(operation));
export const fenceOf = (image: ItemImage): number => numberIn(image, 'fence');

/** Operations the rescue still has to look after, other than this one: begun and not finished, or discarded and their letter not out. */
export const hasOtherUnfinishedOperation = (image: ItemImage, operation: string): boolean =>
  Object.keys(image).some((name) => {
    if (!name.startsWith('try:') || name === attemptsAttribute(operation)) return false;
    const record = operationRecord(image, name.slice('try:'.length));
    return record === undefined || (record.status === 'discarded' && record.buried !== true);
  });
