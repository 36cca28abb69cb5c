import { directedHunt, type Mutant } from '../mutant.ts';

const WIRE_WORKER = 'functions/execute-job/wire.ts';
const WIRE_INVALIDATION = 'functions/invalidate-cache/wire.ts';
const CACHE = 'shared/aws/dynamodb-cache.ts';
const ROW = 'shared/aws/cache-row.ts';

/** What readers are told, and what becomes of it when the table moves on. */
export const cacheMutants: readonly Mutant[] = [
  {
    name: 'invalidate before commit',
    edits: [
      {
        file: WIRE_WORKER,
        from: "import { createHandler } from './handler.ts';",
        to: "import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';\nimport { orderCacheKey, orderSummaryCacheKey } from '#shared/cache/cache-keys.ts';\nimport { createHandler } from './handler.ts';",
      },
      {
        file: WIRE_WORKER,
        from: 'createItemStore(dynamodb, environment.STATE_TABLE, pauseAfterConflict)',
        to: `((kept: ReturnType<typeof createItemStore>): typeof kept => {
    const cache = createDynamoDbCache({ sdk, tableName: 'Cache', clock, random });
    return {
      ...kept,
      async write(write) {
        const [, userId] = /^USER#(.+)$/.exec(write.key.pk) ?? [];
        const isCommit = Object.values(write.values).some((value) => (value as { status?: string } | null)?.status === 'completed');
        if (userId !== undefined && isCommit) {
          await cache.invalidate(orderCacheKey(userId, write.key.sk.replace('ORDER#', '')));
          await cache.invalidate(orderSummaryCacheKey(userId));
        }
        return kept.write(write);
      },
    };
  })(createItemStore(dynamodb, environment.STATE_TABLE, pauseAfterConflict))`,
      },
      {
        file: 'functions/invalidate-cache/handler.ts',
        from: 'const tasks = tasksOf(records);',
        to: 'const tasks = tasksOf(records.slice(0, 0));',
      },
    ],
    killers: ['S14'],
  },
  {
    name: 'set instead of delete in the cache',
    edits: [
      {
        file: WIRE_INVALIDATION,
        from: "import { invalidateCache } from './handler.ts';",
        to: "import { PutItemCommand } from '@aws-sdk/client-dynamodb';\nimport { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';\nimport { createOrderReader } from '#shared/aws/order-reader.ts';\nimport { orderView } from '#shared/domain/order.ts';\nimport { invalidateCache } from './handler.ts';",
      },
      {
        file: WIRE_INVALIDATION,
        from: 'invalidate: cache.invalidate,',
        to: `invalidate: async (key) => {
      const [, userId, orderId] = /^order:([^/]+)\\/(.+)$/.exec(key) ?? [];
      if (userId === undefined || orderId === undefined) return cache.invalidate(key);
      const client = createDynamoDbClient({ sdk });
      const order = await createOrderReader(client, 'State').order(userId, orderId);
      if (order === undefined) return cache.invalidate(key);
      const Item = {
        key: { S: key },
        value: { S: JSON.stringify(orderView(order)) },
        version: { N: String(order.version) },
        expiresAtMs: { N: String(clock.nowMs() + 300_000) },
        expiresAt: { N: String(Math.ceil(clock.nowMs() / 1000) + 300) },
      };
      await client.send(new PutItemCommand({ TableName: environment.CACHE_TABLE, Item }));
    },`,
      },
    ],
    killers: ['S13'],
  },
  {
    name: 'fill without token',
    edits: [
      {
        file: CACHE,
        from: "const tokenStands = '#token = :token';",
        to: "const tokenStands = '(#token = :token OR attribute_not_exists(#token) OR attribute_exists(#token))';",
      },
    ],
    killers: ['S13'],
    hunts: [directedHunt('readers that stand still', 5)],
  },
  {
    name: 'no TTL',
    edits: [
      {
        file: CACHE,
        from: 'const expiresAtMs = clock.nowMs() + ttlSeconds * 1000;',
        to: 'const expiresAtMs = clock.nowMs() + ttlSeconds * 1_000_000;',
      },
      { file: ROW, from: 'const isTrusted = expiresAtMs <= latestMs &&', to: 'const isTrusted = latestMs > 0 &&' },
    ],
    killers: ['S15'],
  },
  {
    name: 'stale read where a strong one is needed',
    edits: [
      {
        file: 'shared/aws/order-reader.ts',
        from: 'Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true }',
        to: 'Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: false }',
      },
      {
        file: 'shared/aws/order-reader.ts',
        from: '        ConsistentRead: true,\n        ExclusiveStartKey',
        to: '        ConsistentRead: false,\n        ExclusiveStartKey',
      },
    ],
    killers: ['S13', 'S15'],
    hunts: [directedHunt('reads that lag', 5)],
  },
];
