import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type {
  Account,
  Fault,
  KeyClaim,
  KeyClaimed,
  LoggedRequest,
  Page,
  PaymentIntent,
  SandboxLedger,
  Settled,
  Settlement,
} from '#shared/payments/sandbox-ledger.ts';
import { ACCOUNTS, intentRow, keyRow, readRefusal, settlementTransaction } from './sandbox-table-settlement.ts';

interface Table {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** Accounts or requests on one page. */
  readonly pageSize?: number;
}
type Item = Record<string, unknown>;

const PAGE_SIZE = 1_000;
const FAULT_ROW = { pk: 'FAULT', sk: 'FAULT' };
/** The log is for looking at what just happened. */
const LOG_RETENTION_MS = 30 * 24 * 3_600_000;
const REQUEST_PREFIX = 'REQUEST#';

/** The sandbox provider's memory: its own table with the string keys `pk` and `sk` and the TTL attribute `ttl`. */
export const createSandboxTable = (table: Table): SandboxLedger => ({
  claimKey: (claim) => claimKey(table, claim),
  settle: (settlement) => settle(table, settlement),
  findIntent: async (paymentIntentId) => withoutKeys<PaymentIntent>(await get(table, intentRow(paymentIntentId))),
  countCall: (call) => countCall(table, call),
  recordRequest: (request) => put(table, requestItem(request)),
  listRequests: async (paymentIntentId, after) => {
    const { pk } = intentRow(paymentIntentId);
    const page = await query(table, pk, REQUEST_PREFIX, after === undefined ? undefined : `${REQUEST_PREFIX}${after}`);
    const { next } = page;
    return {
      items: page.items.map(({ request }) => request as LoggedRequest),
      ...(next === undefined ? {} : { next: next.slice(REQUEST_PREFIX.length) }),
    };
  },
  findAccount: async (reference) => accountOf(await get(table, { pk: ACCOUNTS, sk: reference })),
  listAccounts: async (prefix, after) => {
    const page = await query(table, ACCOUNTS, prefix, after);
    return { ...page, items: page.items.map(accountOf).filter((account) => account !== undefined) };
  },
  readFault: async () => (await get(table, FAULT_ROW))?.['fault'] as Fault | undefined,
  writeFault: (fault) => put(table, { ...FAULT_ROW, fault }),
});

async function claimKey({ client, tableName }: Table, claim: KeyClaim): Promise<KeyClaimed> {
  const { key, owner, bodyHash, nowMs, lockedUntilMs, expiresAtMs } = claim;
  const item = { ...keyRow(key), state: 'in-use', owner, bodyHash, lockedUntilMs, expiresAtMs, ttl: ttlOf(expiresAtMs) };
  try {
    await client.send(
      new PutItemCommand({
        TableName: tableName,
        Item: marshall(item),
        ConditionExpression:
          'attribute_not_exists(#pk) OR #expiresAtMs <= :now OR (#state = :inUse AND #lockedUntilMs <= :now AND #bodyHash = :bodyHash)',
        ExpressionAttributeNames: {
          '#pk': 'pk',
          '#expiresAtMs': 'expiresAtMs',
          '#state': 'state',
          '#lockedUntilMs': 'lockedUntilMs',
          '#bodyHash': 'bodyHash',
        },
        ExpressionAttributeValues: marshall({ ':now': nowMs, ':inUse': 'in-use', ':bodyHash': bodyHash }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { outcome: 'claimed' };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined) throw error;
    return readHolder(unmarshall(error.Item), claim);
  }
}

function readHolder(holder: Item, claim: KeyClaim): KeyClaimed {
  // The SDK sent our own write twice: the first copy took the key.
  if (holder['owner'] === claim.owner) return { outcome: 'claimed' };
  if (holder['bodyHash'] !== claim.bodyHash) return { outcome: 'other-body' };
  if (holder['state'] === 'in-use') return { outcome: 'in-use' };
  return { outcome: 'answered', status: Number(holder['answerStatus']), body: String(holder['answerBody']) };
}

/** The SDK gives the command one request token, so its own repetitions are one transaction. */
async function settle({ client, tableName }: Table, settlement: Settlement): Promise<Settled> {
  try {
    await client.send(new TransactWriteItemsCommand(settlementTransaction(tableName, settlement)));
    return 'settled';
  } catch (error) {
    return readRefusal(error);
  }
}

async function countCall({ client, tableName }: Table, { key, forgetAtMs }: { key: string; forgetAtMs: number }): Promise<number> {
  const { Attributes } = await client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key: marshall({ pk: keyRow(key).pk, sk: 'CALLS' }),
      UpdateExpression: 'SET #ttl = if_not_exists(#ttl, :ttl) ADD #calls :one',
      ExpressionAttributeNames: { '#ttl': 'ttl', '#calls': 'calls' },
      ExpressionAttributeValues: marshall({ ':ttl': ttlOf(forgetAtMs), ':one': 1 }),
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return Number(unmarshall(Attributes ?? {})['calls']);
}

const requestItem = (request: LoggedRequest): Item => ({
  pk: intentRow(request.paymentIntentId).pk,
  sk: `${REQUEST_PREFIX}${String(request.atMs).padStart(15, '0')}#${request.requestId}`,
  request,
  ttl: ttlOf(request.atMs + LOG_RETENTION_MS),
});

async function get({ client, tableName }: Table, key: Item): Promise<Item | undefined> {
  const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key: marshall(key), ConsistentRead: true }));
  return Item === undefined ? undefined : unmarshall(Item);
}

async function put({ client, tableName }: Table, item: Item): Promise<void> {
  await client.send(new PutItemCommand({ TableName: tableName, Item: marshall(item, { removeUndefinedValues: true }) }));
}

/** @param after the sort key the page before ended with */
async function query(
  { client, tableName, pageSize = PAGE_SIZE }: Table,
  pk: string,
  prefix: string,
  after: string | undefined,
): Promise<Page<Item>> {
  const begins = prefix === '' ? {} : { ':prefix': prefix };
  const { Items = [], LastEvaluatedKey } = await client.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: prefix === '' ? '#pk = :pk' : '#pk = :pk AND begins_with(#sk, :prefix)',
      ExpressionAttributeNames: prefix === '' ? { '#pk': 'pk' } : { '#pk': 'pk', '#sk': 'sk' },
      ExpressionAttributeValues: marshall({ ':pk': pk, ...begins }),
      ...(after === undefined ? {} : { ExclusiveStartKey: marshall({ pk, sk: after }) }),
      ConsistentRead: true,
      Limit: pageSize,
    }),
  );
  const items = Items.map((item) => unmarshall(item));
  return LastEvaluatedKey === undefined ? { items } : { items, next: String(unmarshall(LastEvaluatedKey)['sk']) };
}

const ttlOf = (atMs: number): number => Math.ceil(atMs / 1000);

function accountOf(item: Item | undefined): Account | undefined {
  if (item === undefined) return undefined;
  const { sk, captures = [], refunds = [] } = item;
  return { reference: String(sk), captures: captures as Account['captures'], refunds: refunds as Account['refunds'] };
}

function withoutKeys<Record>(item: Item | undefined): Record | undefined {
  if (item === undefined) return undefined;
  const { pk, sk, ...rest } = item;
  return rest as Record;
}
