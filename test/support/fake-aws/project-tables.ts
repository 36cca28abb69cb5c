import type { TableDefinition } from './dynamodb/table.ts';

const TIME_TO_LIVE = 'expiresAt';

/** The tables of the Data stack as the fake and CreateTable take them. */
export const stateTable = (TableName: string): TableDefinition => ({
  TableName,
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'overdueShard', AttributeType: 'S' },
    { AttributeName: 'overdueAtMs', AttributeType: 'N' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'overdue',
      KeySchema: [
        { AttributeName: 'overdueShard', KeyType: 'HASH' },
        { AttributeName: 'overdueAtMs', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  timeToLiveAttribute: TIME_TO_LIVE,
});

/** A table with string keys and no index: the cache (`key`), Control (`id`), mail (`deliveryKey`, `deliveryId`), sandbox (`pk`, `sk`). */
export const plainTable = (
  TableName: string,
  [hash, range]: readonly [string, string?],
  timeToLiveAttribute = TIME_TO_LIVE,
): TableDefinition => ({
  TableName,
  KeySchema: [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' } as const]),
  ],
  AttributeDefinitions: [hash, ...(range === undefined ? [] : [range])].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
  timeToLiveAttribute,
});
