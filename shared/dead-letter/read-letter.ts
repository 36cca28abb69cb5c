import * as z from 'zod';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { type JobTarget, targetOf } from '#shared/worker/job-target.ts';
import { type ParsedJob, parseJob } from '#shared/worker/parse-job.ts';
import { LETTER_ATTRIBUTE, type Letter, REPLAYS_ATTRIBUTE, replaysIn } from './letter.ts';
import type { ReceivedLetter } from './letter-queue-port.ts';

/** A dead-letter queue and the queue it belongs to. */
export interface LetterSource {
  readonly deadLetterQueueName: string;
  /** Where a replay sends to. */
  readonly queueUrl: string;
  readonly fifo: boolean;
  /** Left out for queues whose messages are no jobs (a stream's retries). */
  readonly definition?: AnyJobDefinition | undefined;
}

/** The job a letter is about, and where it works. */
export interface LetterJob extends ParsedJob {
  readonly body: string;
  readonly definition: AnyJobDefinition;
  readonly target: JobTarget;
}

/** What a message in a dead-letter queue is. */
export interface DeadLetter {
  readonly source: LetterSource;
  readonly received: ReceivedLetter;
  /** What the worker wrote about it; none when SQS moved it by itself, because no code ever came to an end with it. */
  readonly why: Letter | undefined;
  readonly movedBySqs: boolean;
  /** Undefined when this code cannot read it as a job of the queue's kind; `unreadable` says why. */
  readonly job: LetterJob | undefined;
  readonly unreadable?: { readonly reason: string; readonly detail: string } | undefined;
}

/** On one line: an attribute may be anybody's, and a person reads it on a terminal. */
const plainText = z.string().regex(/^\P{Cc}*$/u);

const letterSchema: z.ZodType<Letter> = z.object({
  reason: z.string().regex(/^[a-z0-9-]{1,64}$/),
  detail: plainText.optional(),
  fingerprint: z.string().regex(/^[0-9a-f]{12}$/),
  attempts: z.number(),
  replays: z.int().positive().optional(),
  firstSeenAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
  schemaVersion: z.number().optional(),
  trace: plainText.optional(),
}) as z.ZodType<Letter>;

/** Reads and judges nothing: a letter that cannot be read is one too, and its body stays as it is. */
export function readLetter(received: ReceivedLetter, source: LetterSource): DeadLetter {
  const why = readReason(received.attributes[LETTER_ATTRIBUTE]?.text);
  const letter = { source, received, why, movedBySqs: received.sourceArn !== undefined };
  const { definition } = source;
  if (definition === undefined)
    return { ...letter, job: undefined, unreadable: { reason: 'no-job', detail: 'this queue carries no jobs' } };
  const parsed = parseJob(received.body, definition);
  if (!parsed.ok) return { ...letter, job: undefined, unreadable: { reason: parsed.reason, detail: parsed.detail } };
  return { ...letter, job: { ...parsed.job, body: received.body, definition, target: targetOf(definition, parsed.job.payload) } };
}

/** Its item may know of it, but where that is only the code that wrote it can tell. */
export const isOfNewerCode = ({ unreadable }: DeadLetter): boolean => unreadable?.reason === 'unsupported-version';

/**
 * How often people have brought this message back already. SQS leaves the count on what it moves, the worker writes it into its letter.
 *
 * Does not protect against a copy that the rescue derived from the item: that one carries no count, and its letter begins anew.
 */
export const replaysOf = ({ why, received }: Pick<DeadLetter, 'why' | 'received'>): number =>
  Math.max(why?.replays ?? 0, replaysIn(received.attributes[REPLAYS_ATTRIBUTE]?.text));

/** Whatever is no reason of ours counts as none; anybody may set an attribute. */
function readReason(text: string | undefined): Letter | undefined {
  try {
    return letterSchema.parse(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}
