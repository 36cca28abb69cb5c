/** What is called how in the simulated account. */
export const TABLES = { state: 'State', control: 'Control', cache: 'Cache', mail: 'Mail' } as const;

export const PROVIDER_URL = 'https://provider.test';
export const EXPORT_BUCKET = 'exports';
export const OUTBOX_FAILED = 'outbox-failed';
export const INVALIDATION_RETRY = 'invalidation-retry';

export const queueOfKind = (kind: string, fifo: boolean): string => (fifo ? `${kind}.fifo` : kind);
export const deadLetterQueueOf = (queueName: string): string =>
  queueName.endsWith('.fifo') ? queueName.replace(/\.fifo$/, '-dlq.fifo') : `${queueName}-dlq`;
export const workerOfKind = (kind: string): string => `execute-job/${kind}`;
export const mappingIdOf = (kind: string): string => `mapping-${kind}`;
