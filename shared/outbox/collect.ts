import type { JobMessage } from '#shared/contract/message.ts';
import type { OutgoingMessage } from './dispatch.ts';
import { type ItemChange, readOutbox } from './read-outbox.ts';

/** What waits in the outbox-failed queue: a message to send later, or the keys of an item whose outbox nobody could read. */
export interface ParkedEntry {
  readonly recordIndex: number;
  readonly problem: string;
  readonly body:
    | { readonly message: JobMessage }
    | { readonly unreadable: { readonly keys: unknown; readonly sequenceNumber: string | undefined } };
}

interface StreamRecord {
  readonly dynamodb?: { readonly Keys?: unknown; readonly SequenceNumber?: string | undefined } | undefined;
}

/** A record that cannot be read is set aside alone; its neighbours go out. */
export function collectOutbox<Record extends StreamRecord>(
  records: readonly Record[],
  readItemChange: (record: Record) => ItemChange,
): { outgoing: OutgoingMessage[]; unreadable: ParkedEntry[] } {
  const outgoing: OutgoingMessage[] = [];
  const unreadable: ParkedEntry[] = [];
  for (const [recordIndex, record] of records.entries()) {
    const reading = readSafely(record, readItemChange);
    if (reading.kind === 'messages') outgoing.push(...reading.messages.map((message) => ({ message, recordIndex })));
    else
      unreadable.push({
        recordIndex,
        problem: reading.problem,
        body: { unreadable: { keys: record.dynamodb?.Keys, sequenceNumber: record.dynamodb?.SequenceNumber } },
      });
  }
  return { outgoing, unreadable };
}

export const parkedMessage = ({ message, recordIndex }: OutgoingMessage): ParkedEntry => ({
  recordIndex,
  problem: `${message.kind} was refused`,
  body: { message },
});

function readSafely<Record>(record: Record, readItemChange: (record: Record) => ItemChange): ReturnType<typeof readOutbox> {
  try {
    return readOutbox(readItemChange(record));
  } catch {
    return { kind: 'unreadable', problem: 'image is no item' };
  }
}
