import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ARCHIVE_PREFIX } from '#shared/dead-letter/archive.ts';
import type { OutgoingLetter, ReceivedLetter } from '#shared/dead-letter/letter-queue-port.ts';
import type { ArchiveStore } from './archive-store.ts';

const attribute = z.object({ dataType: z.string(), text: z.string().optional(), base64: z.string().optional() });
const schema = z.object({
  /** The dead-letter queue it lay in. */
  queue: z.string(),
  messageId: z.string(),
  body: z.string(),
  attributes: z.record(z.string(), attribute),
  group: z.string().optional(),
  traceHeader: z.string().optional(),
  sentAtMs: z.number(),
  archivedAtMs: z.number(),
});

/** A discarded letter as its archive keeps it. */
export interface ArchivedLetter extends z.infer<typeof schema> {
  readonly archiveKey: string;
}

/** One after the other, whole archives are never held. @param id left out for all; a message id, or how one begins */
export async function* archivedLetters(archive: ArchiveStore, id?: string): AsyncGenerator<ArchivedLetter | { unreadable: string }> {
  for await (const archiveKey of archive.list(ARCHIVE_PREFIX)) {
    if (id !== undefined && !messageIdIn(archiveKey).startsWith(id)) continue;
    const text = await archive.get(archiveKey);
    // Somebody else has brought it back meanwhile.
    if (text === undefined) continue;
    const parsed = schema.safeParse(parse(text));
    yield parsed.success ? { ...parsed.data, archiveKey } : { unreadable: archiveKey };
  }
}

const messageIdIn = (archiveKey: string): string => (archiveKey.split('/').at(-1) ?? '').replace(/\.json$/, '');

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What goes back into the dead-letter queue: body and every attribute, the reason included. */
export const outgoingOf = (
  { messageId, body, attributes, traceHeader, group, archivedAtMs }: ArchivedLetter,
  fifo: boolean,
): OutgoingLetter => ({
  id: messageId,
  body,
  attributes: receivedAttributes(attributes),
  traceHeader,
  group,
  // Within five minutes SQS drops what has the id of an earlier message: a repeated restore may be dropped, the restore of a later discard may not.
  ...(fifo ? { deduplicationId: createHash('sha256').update(`restore\0${messageId}\0${archivedAtMs}`).digest('hex') } : {}),
});

/** As its queue would hand it out; what is written about it is read from it like from any letter. */
export const receivedOf = ({ messageId, body, attributes, group, traceHeader, sentAtMs }: ArchivedLetter): ReceivedLetter => ({
  messageId,
  receiptHandle: '',
  body,
  attributes: receivedAttributes(attributes),
  group,
  traceHeader,
  sentAtMs,
  receiveCount: 0,
});

const receivedAttributes = (attributes: ArchivedLetter['attributes']): ReceivedLetter['attributes'] =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, { dataType, text, base64 }]) => [
      name,
      base64 === undefined ? { dataType, text } : { dataType, bytes: new Uint8Array(Buffer.from(base64, 'base64')) },
    ]),
  );
