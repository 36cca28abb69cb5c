import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { MailPort, Receipt } from '#shared/mail/mail-port.ts';
import type { Clock } from '#shared/runtime/clock.ts';
import { UnknownOutcome } from '#shared/worker/outcome.ts';
import { fromAttributeValues, toAttributeValues } from './attribute-values.ts';
import { readRefusal } from './ses-refusal.ts';

/**
 * Receipts by SES, at most one for each intent. SES knows no idempotency key and cannot be asked what it sent, so the mail table is the
 * witness: a row is written before the mail is handed over, once, and says `sent` afterwards. A row that still says `sending` belongs
 * to a mail that nobody can tell about; it is never sent again, and its job becomes a dead letter for a person to decide.
 *
 * Does not protect against SES itself delivering a mail twice, nor against one that SES took and never delivered.
 */
export interface SesMailOptions {
  readonly ses: SESv2Client;
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
  /** A verified sender. */
  readonly from: string;
  /** Where a customer is reached; `{userId}` stands for who it is. */
  readonly to: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Told what keeps all receipts waiting. */
  readonly onSenderRefused: (sentence: string) => void;
}

type Row = { readonly state?: string } | undefined;

/** One row an intent; rows of the mail table's own deliveries have other names and no state. */
const ONLY = 'ses';
const nobodySent = 'attribute_not_exists(deliveryId)';

export const createSesMail = (options: SesMailOptions): MailPort => ({
  async send(receipt) {
    if ((await begin(options, receipt.deliveryKey)) === 'sent') return;
    const messageId = await handOver(options, receipt);
    // It is sent, whether that could be written down or not; a job that does not get to its commit asks a person then.
    await put(options, receipt.deliveryKey, { state: 'sent', messageId }).catch(() => undefined);
  },
  async wasSent(deliveryKey) {
    const rows = await rowsOf(options, deliveryKey);
    if (rows.some((row) => row?.state !== 'sending')) return true;
    if (rows.length > 0) throw new UnknownOutcome('mail-unanswered');
    return false;
  },
});

/** @throws UnknownOutcome when an earlier run began and never said how it ended */
async function begin(options: SesMailOptions, deliveryKey: string): Promise<'begun' | 'sent'> {
  try {
    await put(options, deliveryKey, { state: 'sending' }, nobodySent);
    return 'begun';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if ((await rowOf(options, deliveryKey))?.state === 'sent') return 'sent';
    throw new UnknownOutcome('mail-unanswered', { cause: error });
  }
}

async function handOver(options: SesMailOptions, receipt: Receipt): Promise<string | undefined> {
  try {
    return (await options.ses.send(new SendEmailCommand(mailOf(options, receipt)))).MessageId;
  } catch (error) {
    const { failure, isUnsent, sentence } = readRefusal(error);
    if (sentence !== undefined) options.onSenderRefused(sentence);
    // Left in place it would only keep a mail from being sent; never the other way round.
    if (isUnsent) await takeBack(options, receipt.deliveryKey).catch(() => undefined);
    throw failure;
  }
}

function mailOf({ from, to }: SesMailOptions, { userId, orderId, amountMinor, currency, captureId }: Receipt) {
  const text = `Your order ${orderId} is paid: ${amountIn(currency, amountMinor)}.\n\nReference ${captureId}\n`;
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    FromEmailAddress: from,
    Destination: { ToAddresses: [to.replaceAll('{userId}', userId)] },
    Content: { Simple: { Subject: utf8(`Receipt for order ${orderId}`), Body: { Text: utf8(text) } } },
  };
}

function amountIn(currency: string, amountMinor: number): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  return format.format(amountMinor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

async function put(
  { dynamodb, tableName, clock }: SesMailOptions,
  deliveryKey: string,
  { state, messageId }: { readonly state: 'sending' | 'sent'; readonly messageId?: string | undefined },
  condition?: string,
): Promise<void> {
  const row = { deliveryKey, deliveryId: ONLY, state, atMs: clock.nowMs(), ...(messageId === undefined ? {} : { messageId }) };
  const only = condition === undefined ? {} : { ConditionExpression: condition };
  await dynamodb.send(new PutItemCommand({ TableName: tableName, Item: toAttributeValues(row), ...only }));
}

const keyOf = (deliveryKey: string) => toAttributeValues({ deliveryKey, deliveryId: ONLY });

async function takeBack({ dynamodb, tableName }: SesMailOptions, deliveryKey: string): Promise<void> {
  await dynamodb.send(new DeleteItemCommand({ TableName: tableName, Key: keyOf(deliveryKey) }));
}

async function rowOf({ dynamodb, tableName }: SesMailOptions, deliveryKey: string): Promise<Row> {
  const { Item: item } = await dynamodb.send(new GetItemCommand({ TableName: tableName, Key: keyOf(deliveryKey), ConsistentRead: true }));
  return item && fromAttributeValues(item);
}

async function rowsOf({ dynamodb, tableName }: SesMailOptions, deliveryKey: string): Promise<Row[]> {
  const query = new QueryCommand({
    TableName: tableName,
    ConsistentRead: true,
    KeyConditionExpression: 'deliveryKey = :key',
    ExpressionAttributeValues: toAttributeValues({ ':key': deliveryKey }),
  });
  return ((await dynamodb.send(query)).Items ?? []).map((item) => fromAttributeValues(item) as Row);
}
