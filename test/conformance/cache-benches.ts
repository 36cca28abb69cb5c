import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createValkeyCache } from '#shared/aws/valkey-cache.ts';
import { createValkeyConnection, type ValkeyConnection } from '#shared/aws/valkey-connection.ts';
import type { CachePort } from '#shared/cache/cache-port.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import { createFakeAws } from '../support/fake-aws/request-handler.ts';
import { type CacheSlot, createMemoryCache } from '../support/memory-cache.ts';
import type { ValkeyServer } from '../support/valkey-server.ts';

/** A cache, and what a test may do to it besides. */
export interface CacheBench {
  readonly name: string;
  readonly cache: CachePort;
  /** The next token write is carried out, and its answer never arrives; `false` takes that back. */
  loseNextTokenAnswer(isLost?: boolean): void;
  /** Puts something under the key that no fill would write. */
  overwrite(key: string, slot: CacheSlot): Promise<unknown>;
  close(): Promise<unknown>;
  /** The instant the store itself may remove the key at, as it is written there; for stores that have one. */
  timeToLive?(key: string): Promise<string | undefined>;
}

/** Moves only when told. */
export interface TestClock {
  nowMs(): number;
  sleep(durationMs: number): Promise<void>;
}

type OpenBench = (clock: TestClock) => Promise<CacheBench>;
type RequestHandler = DynamoDBClient['config']['requestHandler'];

const KEY_SCHEMA = {
  KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' as const }],
  AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' as const }],
};

export const openMemoryCache: OpenBench = async (clock) => {
  const cache = createMemoryCache(clock);
  return {
    name: 'memory',
    cache,
    loseNextTokenAnswer: cache.loseNextTokenAnswer,
    overwrite: async (key, slot) => cache.overwrite(key, slot),
    close: async () => undefined,
  };
};

export const openDynamoDbCache: OpenBench = async (clock) => {
  const TableName = `Cache-${randomUUID()}`;
  const aws = createFakeAws({ now: clock.nowMs });
  aws.dynamodb.createTable({ TableName, ...KEY_SCHEMA });
  const { requestHandler } = new DynamoDBClient(aws.clientConfig).config;
  return dynamoDbBench('DynamoDB in memory', TableName, clock, requestHandler);
};

export const openEmulatedCache =
  (endpoint: string): OpenBench =>
  async (clock) => {
    const TableName = `Cache-${randomUUID()}`;
    const client = new DynamoDBClient({ endpoint });
    await client.send(new CreateTableCommand({ TableName, ...KEY_SCHEMA, BillingMode: 'PAY_PER_REQUEST' }));
    await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 1, maxDelay: 1 }, { TableName });
    const bench = dynamoDbBench(`DynamoDB at ${endpoint}`, TableName, clock, sendingTo(new URL(endpoint)));
    return { ...bench, close: () => client.send(new DeleteTableCommand({ TableName })) };
  };

function dynamoDbBench(name: string, tableName: string, clock: TestClock, requestHandler: RequestHandler): CacheBench {
  const client = createDynamoDbClient({ sdk: { createRequestHandler: () => requestHandler } });
  const lossy = losingAnswers(requestHandler);
  const sdk = { createRequestHandler: () => lossy.requestHandler };
  return {
    name,
    cache: createDynamoDbCache({ tableName, clock, random: systemRandom, sdk }),
    loseNextTokenAnswer: lossy.loseNextUpdate,
    overwrite: (key, slot) => client.send(new PutItemCommand({ TableName: tableName, Item: marshall({ key, ...slot }) })),
    close: async () => undefined,
    async timeToLive(key) {
      const { Item: item } = await client.send(new GetItemCommand({ TableName: tableName, Key: { key: { S: key } } }));
      return item?.expiresAt?.N;
    },
  };
}

/** Keys begin as the access string wants them. */
export const openValkeyCache =
  (server: ValkeyServer): OpenBench =>
  async (clock) => {
    const connection = createValkeyConnection({ host: '127.0.0.1', port: server.port, tls: false });
    const lossy = losingTokens(connection);
    return {
      name: 'a Valkey server',
      cache: createValkeyCache({ connection: lossy.connection, clock, random: systemRandom }),
      loseNextTokenAnswer: lossy.loseNext,
      async overwrite(key, slot) {
        const [, era = ''] = /master_replid:(\w+)/.exec(String(await server.command('INFO', 'replication'))) ?? [];
        await server.command('SET', key, [era, slot.token ?? '', JSON.stringify(slot)].join('\n'));
      },
      close: async () => connection.close(),
    };
  };

/** The token write is carried out and its answer is dropped. It is the one command after which a row begins with a token. */
function losingTokens(inner: ValkeyConnection): { connection: ValkeyConnection; loseNext(isLost?: boolean): void } {
  let losing = false;
  return {
    connection: {
      ...inner,
      async ask(limitMs, command) {
        const answer = await inner.ask(limitMs, command);
        if (!losing || (answer as { isReplaced?: boolean } | undefined)?.isReplaced !== true) return answer;
        losing = false;
        throw new Error('no answer to the token write');
      },
    },
    loseNext(isLost = true) {
      losing = isLost;
    },
  };
}

/** Lets a request through and drops its answer, as a broken connection does. */
function losingAnswers(inner: RequestHandler): { requestHandler: RequestHandler; loseNextUpdate(isLost?: boolean): void } {
  let losing = false;
  const requestHandler: RequestHandler = {
    ...inner,
    async handle(request, options) {
      const answer = await inner.handle(request, options);
      if (!losing || !request.headers['x-amz-target']?.endsWith('.UpdateItem')) return answer;
      losing = false;
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    },
  };
  return {
    requestHandler,
    loseNextUpdate(isLost = true) {
      losing = isLost;
    },
  };
}

/** The adapter makes its own clients, so the place they call is set below them. */
function sendingTo({ hostname, port, protocol }: URL): RequestHandler {
  const inner = new DynamoDBClient({ requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 } }).config.requestHandler;
  return {
    ...inner,
    handle: (request, options) => inner.handle(Object.assign(request, { hostname, port: Number(port), protocol }), options),
  };
}
