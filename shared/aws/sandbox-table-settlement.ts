import { TransactionCanceledException, type TransactWriteItem, type TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Effect, Settled, Settlement } from '#shared/payments/sandbox-ledger.ts';

type Row = Readonly<Record<'pk' | 'sk', string>>;

export const keyRow = (key: string): Row => ({ pk: `KEY#${key}`, sk: 'KEY' });
export const intentRow = (paymentIntentId: string): Row => ({ pk: `INTENT#${paymentIntentId}`, sk: 'INTENT' });
/** All accounts are one collection, so that one query counts them; its limit of 1,000 writes a second is far above what a sandbox sees. */
export const ACCOUNTS = 'ACCOUNTS';

/** The key's answer and what it did, in one transaction: a crash leaves both or neither. */
export const settlementTransaction = (TableName: string, settlement: Settlement): TransactWriteItemsCommandInput => ({
  TransactItems: [
    answerWrite(TableName, settlement),
    ...(settlement.effect === undefined ? [] : effectWrites(TableName, settlement, settlement.effect)),
  ],
});

/** @throws the error itself when it is not a refusal of one of the conditions */
export function readRefusal(error: unknown): Settled {
  if (!(error instanceof TransactionCanceledException)) throw error;
  const [key, ...others] = (error.CancellationReasons ?? []).map(({ Code }) => Code);
  if (key === 'ConditionalCheckFailed') return 'key-lost';
  if ([key, ...others].some((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict')) return 'intent-changed';
  throw error;
}

/** Only the call that holds the key may store its answer; one that was given up for dead writes nothing. */
const answerWrite = (TableName: string, { key, owner, status, body }: Settlement): TransactWriteItem => ({
  Update: {
    TableName,
    Key: marshall(keyRow(key)),
    ConditionExpression: '#owner = :owner AND #state = :inUse',
    UpdateExpression: 'SET #state = :answered, #status = :status, #body = :body',
    ExpressionAttributeNames: { '#owner': 'owner', '#state': 'state', '#status': 'answerStatus', '#body': 'answerBody' },
    ExpressionAttributeValues: marshall({ ':owner': owner, ':inUse': 'in-use', ':answered': 'answered', ':status': status, ':body': body }),
  },
});

function effectWrites(TableName: string, settlement: Settlement, effect: Effect): TransactWriteItem[] {
  switch (effect.kind) {
    case 'charge':
      return [intentCaptured(TableName, effect), accountWrite(TableName, settlement, effect, 'captures')];
    case 'void':
      return [intentVoided(TableName, effect.paymentIntentId)];
    case 'refund':
      return [intentRefunded(TableName, effect), accountWrite(TableName, settlement, effect, 'refunds')];
  }
}

/** Void is final; nothing else stands in the way of a charge, an earlier charge under another key least of all. */
const intentCaptured = (
  TableName: string,
  { paymentIntentId, reference, captureId, money }: Extract<Effect, { kind: 'charge' }>,
): TransactWriteItem => ({
  Put: {
    TableName,
    Item: marshall({ ...intentRow(paymentIntentId), status: 'captured', captureId, reference, ...money }),
    ConditionExpression: 'attribute_not_exists(#pk) OR #status <> :voided',
    ExpressionAttributeNames: { '#pk': 'pk', '#status': 'status' },
    ExpressionAttributeValues: marshall({ ':voided': 'voided' }),
  },
});

const intentVoided = (TableName: string, paymentIntentId: string): TransactWriteItem => ({
  Put: {
    TableName,
    Item: marshall({ ...intentRow(paymentIntentId), status: 'voided' }),
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': 'pk' },
  },
});

const intentRefunded = (
  TableName: string,
  { paymentIntentId, captureId, refundId }: Extract<Effect, { kind: 'refund' }>,
): TransactWriteItem => ({
  Update: {
    TableName,
    Key: marshall(intentRow(paymentIntentId)),
    ConditionExpression: '#captureId = :captureId',
    UpdateExpression: 'SET #status = :refunded, #refundId = :refundId',
    ExpressionAttributeNames: { '#captureId': 'captureId', '#status': 'status', '#refundId': 'refundId' },
    ExpressionAttributeValues: marshall({ ':captureId': captureId, ':refunded': 'refunded', ':refundId': refundId }),
  },
});

function accountWrite(
  TableName: string,
  { key, nowMs }: Settlement,
  effect: Exclude<Effect, { kind: 'void' }>,
  list: 'captures' | 'refunds',
): TransactWriteItem {
  const { kind, reference, money, ...ids } = effect;
  return {
    Update: {
      TableName,
      Key: marshall({ pk: ACCOUNTS, sk: reference }),
      UpdateExpression: 'SET #list = list_append(if_not_exists(#list, :none), :one)',
      ExpressionAttributeNames: { '#list': list },
      ExpressionAttributeValues: marshall({ ':none': [], ':one': [{ ...ids, ...money, key, atMs: nowMs }] }),
    },
  };
}
