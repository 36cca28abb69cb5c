import { isDeepStrictEqual } from 'node:util';
import { deadLetterQueueOf } from '../cloud/names.ts';
import { nameOfQueue } from '../network/labels.ts';
import type { Simulation } from '../simulation.ts';
import { keyIn } from './item-views.ts';

type Attributes = Readonly<Record<string, unknown>>;

interface Sending {
  readonly QueueUrl?: string;
  readonly MessageBody?: string;
  readonly MessageAttributes?: Attributes;
  readonly Entries?: readonly Sending[];
}

/** The pipeline's own, which say what a letter is and how often it was brought back. */
const isForeign = (name: string): boolean => !name.startsWith('andal');

/** What a replay leaves out of what others gave a message. Looked at while the letter is still there: it goes last. */
export function attributesDropped(input: Sending, { sqs, jobQueues }: Pick<Simulation, 'sqs' | 'jobQueues'>): string[] {
  const queueName = nameOfQueue(String(input.QueueUrl));
  if (!jobQueues.some((queue) => queue.queueName === queueName)) return [];
  const letters = sqs.messages(deadLetterQueueOf(queueName));
  return (input.Entries ?? [input]).flatMap(({ MessageBody: body, MessageAttributes: sent = {} }) => {
    const given = letters.filter((letter) => letter.body === body).map(({ attributes }) => attributes as Attributes);
    if (given.length === 0 || given.some((attributes) => isKept(attributes, sent))) return [];
    return [`${keyIn(body ?? '') ?? 'an unreadable message'} is replayed without the attributes it had`];
  });
}

const isKept = (attributes: Attributes, sent: Attributes): boolean =>
  Object.entries(attributes).every(([name, value]) => !isForeign(name) || isDeepStrictEqual(value, sent[name]));
