import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import { LETTER_ATTRIBUTE, type Letter } from '#shared/dead-letter/letter.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { sqs } from './aws-clients.ts';
import { allQueueUrls } from './deployment.ts';
import { waitUntil } from './wait-until.ts';

const ENTRIES_PER_CALL = 10;

/** Sends bodies as they are, ten a call. */
export async function sendBodies(queueUrl: string, bodies: readonly string[]): Promise<void> {
  for (let start = 0; start < bodies.length; start += ENTRIES_PER_CALL) {
    const entries = bodies.slice(start, start + ENTRIES_PER_CALL).map((body, index) => ({ Id: String(index), MessageBody: body }));
    const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
    if (Failed.length > 0) throw new Error(`the queue refused ${Failed.map(({ Code }) => Code).join(', ')}`);
  }
}

/** The message that charges an order, as the pipeline itself would send it. */
export const captureMessage = (userId: string, orderId: string, attempt = 1): string =>
  JSON.stringify(outboxMessage(job(capturePayment, { userId, orderId, attempt }), Date.now()));

/** Messages waiting, hidden or delayed. */
export async function depthOf(queueUrl: string): Promise<number> {
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }));
  const counted = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible', 'ApproximateNumberOfMessagesDelayed'] as const;
  return counted.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

const isDeadLetterQueue = (name: string): boolean => name.includes('DeadLetter');

/** Depths by output name. */
export async function depths(which: 'work' | 'dead-letter'): Promise<Record<string, number>> {
  const wanted = [...allQueueUrls()].filter(([name]) => isDeadLetterQueue(name) === (which === 'dead-letter'));
  return Object.fromEntries(await Promise.all(wanted.map(async ([name, url]) => [name, await depthOf(url)] as const)));
}

/** Nothing is waiting, hidden or delayed in any queue that is worked off. */
export const waitForEmptyQueues = (withinMs: number): Promise<boolean> =>
  waitUntil({ what: 'all queues to be empty', withinMs, everyMs: 250 }, async (note) => {
    const counts = await depths('work');
    note(counts);
    return Object.values(counts).every((count) => count === 0);
  });

export interface DeadLetter {
  readonly body: string;
  /** undefined when the message carries no reason. */
  readonly letter: Letter | undefined;
}

/** Long enough to look through the whole queue, short enough to give back what a killed run took. */
const LOOK_SECONDS = 20;

/** Takes out the letters a test expects; everybody else's are given back untouched. */
export async function takeLetters(queueUrl: string, isMine: (body: string) => boolean): Promise<DeadLetter[]> {
  const seen: Message[] = [];
  while (true) {
    const request = { QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: LOOK_SECONDS, MessageAttributeNames: ['All'] };
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(request));
    if (Messages.length === 0) break;
    seen.push(...Messages);
  }
  const [mine, others] = [seen.filter(({ Body = '' }) => isMine(Body)), seen.filter(({ Body = '' }) => !isMine(Body))];
  await Promise.all(mine.map(({ ReceiptHandle }) => sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }))));
  await Promise.all(
    others.map(({ ReceiptHandle }) =>
      sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout: 0 })),
    ),
  );
  return mine.map(({ Body = '', MessageAttributes = {} }) => {
    const text = MessageAttributes[LETTER_ATTRIBUTE]?.StringValue;
    return { body: Body, letter: text === undefined ? undefined : (JSON.parse(text) as Letter) };
  });
}

/** Collects the test's letters until there are as many as expected. */
export async function waitForLetters(
  queueUrl: string,
  expected: number,
  isMine: (body: string) => boolean,
  withinMs = 30_000,
): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  return waitUntil({ what: `${expected} dead letters`, withinMs, everyMs: 300 }, async (note) => {
    letters.push(...(await takeLetters(queueUrl, isMine)));
    note(letters.map(({ letter }) => letter?.reason));
    return letters.length >= expected ? letters : undefined;
  });
}
