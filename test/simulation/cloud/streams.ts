import { ORDER_PREFIX } from '#shared/contract/item-keys.ts';
import type { FilterPattern } from './stream-filter.ts';
import { createStreamMapping, type StreamMapping, type StreamMappingDefinition, type StreamMappingParts } from './stream-mapping.ts';

const HOUR_MS = 3_600_000;

const isFree: FilterPattern = { lease: { S: ['free'] } };
const isOrder: FilterPattern = { sk: { S: [{ prefix: ORDER_PREFIX }] } };

/** The two consumers of the State table's stream, with the filters and limits of their constructs (infra/constructs/). */
export const STREAM_CONSUMERS: readonly StreamMappingDefinition[] = [
  {
    functionName: 'dispatch-outbox',
    filters: [{ dynamodb: { NewImage: isFree } }],
    batchSize: 100,
    maxRecordAgeMs: 12 * HOUR_MS,
    retryAttempts: 1_000,
  },
  {
    functionName: 'invalidate-cache',
    filters: [
      { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: isOrder, NewImage: isFree } },
      { eventName: ['REMOVE'], dynamodb: { Keys: isOrder } },
    ],
    batchSize: 100,
    maxRecordAgeMs: HOUR_MS,
    retryAttempts: 100,
  },
];

export const createStreamMappings = (parts: StreamMappingParts): StreamMapping[] =>
  STREAM_CONSUMERS.map((definition) => createStreamMapping(parts, definition));
