import { createHash } from 'node:crypto';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { queueText } from '#shared/contract/queue-text.ts';
import type { DeadLetterPort, FifoLetter, Letter } from '#shared/dead-letter/letter.ts';
import { LETTER_ATTRIBUTE } from '#shared/dead-letter/letter.ts';
import type { FifoIds, QueueSender } from '#shared/outbox/queue-sender.ts';
import { codeOf } from './batch-entries.ts';

/** SQS counts a message's attributes into its size; a body this large leaves no room for the letter. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
const LETTER_ROOM_BYTES = 4 * 1024;
const MAX_BATCH_ENTRIES = 10;
const MAX_BATCH_BYTES = 256 * 1024;

/** The SDK's client is loaded on first use: a worker whose jobs all succeed never pays for it. */
type Lazy<T> = () => Promise<T>;

const sqs = () => import('@aws-sdk/client-sqs');

export const createDeadLetterQueue = (client: Lazy<SQSClient>, queueUrl: string): DeadLetterPort => ({
  async send(body: string, letter: Letter, fifo?: FifoLetter): Promise<void> {
    const { SendMessageCommand } = await sqs();
    const attributes = { MessageAttributes: { [LETTER_ATTRIBUTE]: { DataType: 'String', StringValue: queueText(letter) } } };
    const fits = Buffer.byteLength(body) <= MAX_MESSAGE_BYTES - LETTER_ROOM_BYTES;
    await (await client()).send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        ...(fits ? attributes : {}),
        ...fifoParameters(letterIds(body, letter, fifo)),
      }),
    );
  },
});

const fifoParameters = ({ group, deduplicationId }: Partial<FifoIds>) =>
  group === undefined ? {} : { MessageGroupId: group, MessageDeduplicationId: deduplicationId };

/** Within five minutes SQS drops what has the id of an earlier message: a repeated letter may be dropped, the letter of a later end may not. */
function letterIds(body: string, { firstSeenAt }: Letter, fifo: FifoLetter | undefined): Partial<FifoIds> {
  if (fifo === undefined) return {};
  const end = fifo.ending ?? firstSeenAt;
  return { group: fifo.group, deduplicationId: createHash('sha256').update(end).update('\0').update(body).digest('hex') };
}

/** Sends in batches and reports every entry that was not accepted: a 200 for the call says nothing about its entries. */
export const createQueueSender = (client: SQSClient): QueueSender => ({
  async send(queueUrl, entries) {
    const { SendMessageBatchCommand } = await sqs();
    const failed: { id: string; senderFault: boolean; code: string }[] = [];
    for (const batch of batches(entries)) {
      const request = new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: batch.map(({ id, body, ...fifo }) => ({ Id: id, MessageBody: body, ...fifoParameters(fifo) })),
      });
      let code = 'unanswered';
      const answer = await client.send(request).catch((error: unknown) => {
        code = codeOf(error);
        return { Successful: [], Failed: [] };
      });
      const accepted = new Set((answer.Successful ?? []).map(({ Id }) => Id));
      const refused = new Map((answer.Failed ?? []).map((entry) => [entry.Id, entry]));
      for (const { id } of batch) {
        if (accepted.has(id)) continue;
        const reason = refused.get(id);
        failed.push({ id, senderFault: reason?.SenderFault === true, code: reason?.Code ?? code });
      }
    }
    return { failed };
  },
});

/** At most ten entries and 256 KiB a call. */
function batches<Entry extends { body: string }>(entries: readonly Entry[]): Entry[][] {
  const made: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.body);
    const last = made.at(-1);
    if (last === undefined || last.length === MAX_BATCH_ENTRIES || bytes + size > MAX_BATCH_BYTES) {
      made.push([entry]);
      bytes = size;
    } else {
      last.push(entry);
      bytes += size;
    }
  }
  return made;
}

export interface HandBack {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly delaySeconds: number;
}

/** Tries of one entry; what still fails comes back by its visibility timeout, which loses time and nothing else. */
const HAND_BACK_TRIES = 3;

/**
 * Hides each message until it is due. Per-entry failures are tried again unless SQS says that the sender is at fault (a stale
 * receipt handle: somebody else has the message by now).
 *
 * @returns ids whose visibility could not be set
 */
export async function handBack(client: Lazy<SQSClient>, queueUrl: string, messages: readonly HandBack[]): Promise<string[]> {
  const notHidden: string[] = [];
  for (let first = 0; first < messages.length; first += MAX_BATCH_ENTRIES) {
    notHidden.push(...(await handBackBatch(await client(), queueUrl, messages.slice(first, first + MAX_BATCH_ENTRIES))));
  }
  return notHidden;
}

async function handBackBatch(client: SQSClient, queueUrl: string, batch: readonly HandBack[]): Promise<string[]> {
  const { ChangeMessageVisibilityBatchCommand } = await sqs();
  const refused: HandBack[] = [];
  let pending = batch;
  for (let tries = 0; tries < HAND_BACK_TRIES && pending.length > 0; tries++) {
    const Entries = pending.map(({ receiptHandle, delaySeconds }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: delaySeconds,
    }));
    const answer = await client
      .send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }))
      .catch(() => ({ Successful: [], Failed: [] }));
    const done = new Set((answer.Successful ?? []).map(({ Id }) => Number(Id)));
    const lost = new Set((answer.Failed ?? []).filter(({ SenderFault }) => SenderFault).map(({ Id }) => Number(Id)));
    refused.push(...pending.filter((_, index) => lost.has(index)));
    pending = pending.filter((_, index) => !done.has(index) && !lost.has(index));
  }
  return [...refused, ...pending].map(({ messageId }) => messageId);
}
