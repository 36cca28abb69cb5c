import type { Bill } from '../../../cli/cost/bill.ts';
import type { Answer } from '../fake-aws/aws-error.ts';
import type { Units } from '../fake-aws/dynamodb/world.ts';
import type { Call } from '../fake-aws/wire.ts';

/** SQS counts a request once for each such piece of what it carries. */
const CHUNK_BYTES = 64 * 1024;

interface CarriedMessage {
  readonly Body?: string;
  readonly MessageBody?: string;
  readonly MessageAttributes?: object;
}

/** What a request to SQS costs, by what it carries there or brings back. */
export function usedOfQueue({ operation, input }: Call, answer: Answer): Partial<Bill> {
  const output = 'output' in answer ? (answer.output as { readonly Messages?: readonly CarriedMessage[] }) : {};
  const messages = operation === 'ReceiveMessage' ? (output.Messages ?? []) : ((input.Entries ?? [input]) as readonly CarriedMessage[]);
  const requests = Math.max(1, Math.ceil(messages.reduce((bytes, message) => bytes + carriedBytes(message), 0) / CHUNK_BYTES));
  const isFifo = String(input.QueueUrl).endsWith('.fifo');
  const isEmpty = operation === 'ReceiveMessage' && messages.length === 0;
  return { [isFifo ? 'fifoRequests' : 'queueRequests']: requests, ...(isEmpty ? { emptyReceives: 1 } : {}) };
}

const carriedBytes = ({ Body, MessageBody = Body ?? '', MessageAttributes }: CarriedMessage): number =>
  Buffer.byteLength(MessageBody) + (MessageAttributes === undefined ? 0 : Buffer.byteLength(JSON.stringify(MessageAttributes)));

const REFUSED = new Set(['ConditionalCheckFailedException', 'TransactionCanceledException']);

/** What a request to DynamoDB costs, with the units it was billed. */
export const usedOfTable = ({ input }: Call, answer: Answer, units: Units): Partial<Bill> => ({
  tables: { [tablesIn(input)]: { ...units, requests: 1 } },
  refusedWrites: 'error' in answer && REFUSED.has(answer.error.name) ? 1 : 0,
});

interface TableInput {
  readonly TableName?: string;
  readonly RequestItems?: Readonly<Record<string, unknown>>;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName: string }>>[];
}

/** A request to several tables is billed under all their names at once. */
function tablesIn({ TableName, RequestItems = {}, TransactItems = [] }: TableInput): string {
  const names = TransactItems.flatMap((action) => Object.values(action).map((one) => one.TableName));
  return TableName ?? [...new Set([...Object.keys(RequestItems), ...names])].sort().join('+');
}

/** S3 knows a dear class of requests and a cheap one. */
export const usedOfObjects = (method: string): Partial<Bill> =>
  method === 'GET' ? { objectReads: 1 } : method === 'DELETE' ? {} : { objectWrites: 1 };
