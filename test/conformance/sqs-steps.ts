import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import type { QueueDefinition } from '../support/fake-aws/fake-sqs.ts';
import type { Target } from './target.ts';

/** Random operations on a queue with few messages, and on its dead-letter queue where it has one. No time passes: what a second does is tested one promise at a time. */
export type SqsStep =
  | { readonly kind: 'send'; readonly group: string; readonly content: string }
  | { readonly kind: 'send-batch'; readonly contents: readonly string[] }
  | { readonly kind: 'receive'; readonly most: number; readonly hides: boolean; readonly from: 'source' | 'dead' }
  | { readonly kind: 'delete' | 'hand-back' | 'extend'; readonly receipt: number; readonly asBatch: boolean }
  | { readonly kind: 'count' };

const content = fc.constantFrom('x', 'y', 'z');
const onReceipt = (kind: 'delete' | 'hand-back' | 'extend') =>
  fc.record({ kind: fc.constant(kind), receipt: fc.nat({ max: 9 }), asBatch: fc.boolean() });

const step: fc.Arbitrary<SqsStep> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('send' as const), group: fc.constantFrom('a', 'b'), content }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('send-batch' as const), contents: fc.array(content, { minLength: 1, maxLength: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('receive' as const),
      most: fc.integer({ min: 1, max: 4 }),
      hides: fc.boolean(),
      from: fc.constantFrom('source', 'source', 'source', 'dead'),
    }),
  },
  { weight: 2, arbitrary: onReceipt('delete') },
  { weight: 2, arbitrary: onReceipt('hand-back') },
  { weight: 1, arbitrary: onReceipt('extend') },
  { weight: 1, arbitrary: fc.constant({ kind: 'count' as const }) },
);
export const sqsSteps: fc.Arbitrary<SqsStep[]> = fc.array(step, { minLength: 1, maxLength: 30 });

interface Receipt {
  readonly body: string;
  readonly QueueUrl: string;
  readonly handle: string;
  isInFlight: boolean;
}
/** One queue of one target, and the receipts it gave out, in order. */
interface Bench {
  readonly target: Target;
  readonly QueueUrl: string;
  readonly deadUrl: string | undefined;
  readonly isFifo: boolean;
  readonly receipts: Receipt[];
}

export interface QueueKind {
  readonly definition: QueueDefinition;
  readonly dead?: QueueDefinition;
}
const MOST_RECEIVES = 3;

export async function openBench(target: Target, { definition, dead }: QueueKind): Promise<Bench> {
  const deadQueue = dead && (await target.createQueue(dead));
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadQueue?.arn, maxReceiveCount: MOST_RECEIVES });
  const { url: QueueUrl } = await target.createQueue({
    ...definition,
    Attributes: { ...definition.Attributes, ...(deadQueue && { RedrivePolicy }) },
  });
  return { target, QueueUrl, deadUrl: deadQueue?.url, isFifo: definition.QueueName.endsWith('.fifo'), receipts: [] };
}

/** What a step answers, in words that do not depend on ids. */
export async function answerToStep(bench: Bench, step: SqsStep): Promise<unknown> {
  try {
    return await runStep(bench, step);
  } catch (error) {
    return { error: (error as Error).name };
  }
}

async function runStep(bench: Bench, step: SqsStep): Promise<unknown> {
  const { target, QueueUrl, isFifo, receipts } = bench;
  const fifo = (group: string, id: string) => (isFifo ? { MessageGroupId: group, MessageDeduplicationId: id } : {});
  switch (step.kind) {
    case 'send': {
      const input = { QueueUrl, MessageBody: step.content, ...fifo(step.group, step.content) };
      return (await target.sqs.send(new SendMessageCommand(input))).MD5OfMessageBody;
    }
    case 'send-batch': {
      const Entries = step.contents.map((body, Id) => ({ Id: String(Id), MessageBody: body, ...fifo('a', `${body}-batch`) }));
      const { Successful = [], Failed = [] } = await target.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      return [Successful.map(({ Id }) => Id), Failed.map(({ Id, Code }) => [Id, Code])];
    }
    case 'receive': {
      const from = (step.from === 'dead' ? bench.deadUrl : undefined) ?? QueueUrl;
      const input = {
        QueueUrl: from,
        MaxNumberOfMessages: step.most,
        VisibilityTimeout: step.hides ? 300 : 0,
        MessageSystemAttributeNames: ['All' as const],
      };
      const messages = await target.receive(input);
      for (const { MessageId, Body, ReceiptHandle } of messages) {
        for (const older of receipts.filter(({ body }) => body === `${Body} ${MessageId}`)) older.isInFlight = false;
        receipts.push({ body: `${Body} ${MessageId}`, QueueUrl: from, handle: String(ReceiptHandle), isInFlight: step.hides });
      }
      return messages.map(({ Body, Attributes = {} }) => [
        Body,
        Attributes.ApproximateReceiveCount,
        Attributes.MessageGroupId,
        Attributes.DeadLetterQueueSourceArn !== undefined,
      ]);
    }
    case 'count': {
      const { Attributes } = await target.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
      return [Attributes?.ApproximateNumberOfMessages, Attributes?.ApproximateNumberOfMessagesNotVisible];
    }
    default:
      return useReceipt(bench, step);
  }
}

async function useReceipt(
  { target, isFifo, receipts }: Bench,
  { kind, receipt: position, asBatch }: Extract<SqsStep, { asBatch: boolean }>,
) {
  const receipt = receipts.at(-1 - position);
  // A message that is visible again: emulators let it be hidden, AWS does not (see emulator-differences.ts).
  // A FIFO queue's message that is visible again: emulators let it be deleted, AWS does not.
  if (!receipt || ((kind !== 'delete' || isFifo) && !receipt.isInFlight)) return 'nothing to do';
  const { QueueUrl } = receipt;
  const entry = { QueueUrl, ReceiptHandle: receipt.handle, VisibilityTimeout: kind === 'extend' ? 600 : 0 };
  const batch = { QueueUrl, Entries: [{ Id: 'one', ...entry }] };
  const isDelete = kind === 'delete';
  if (asBatch) {
    const { Successful = [], Failed = [] } = isDelete
      ? await target.sqs.send(new DeleteMessageBatchCommand(batch))
      : await target.sqs.send(new ChangeMessageVisibilityBatchCommand(batch));
    if (Failed.length > 0) return Failed.map(({ Id, Code }) => [Id, Code]);
    settle(receipts, receipt, kind);
    return Successful.map(({ Id }) => Id);
  }
  if (isDelete) await target.sqs.send(new DeleteMessageCommand(entry));
  else await target.sqs.send(new ChangeMessageVisibilityCommand(entry));
  settle(receipts, receipt, kind);
  return 'done';
}

/** A deleted message's receipts are forgotten: a second delete is refused by emulators and accepted by AWS. */
function settle(receipts: Receipt[], receipt: Receipt, kind: string): void {
  if (kind === 'hand-back') receipt.isInFlight = false;
  if (kind === 'delete') receipts.splice(0, receipts.length, ...receipts.filter(({ body }) => body !== receipt.body));
}
