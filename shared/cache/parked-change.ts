import * as z from 'zod';
import type { StreamRecord } from './changed-keys.ts';

/** What waits in the invalidation retry queue: a key, or a record nobody could read, which ends in the dead-letter queue for a person to see. */
const parkedKeySchema = z.strictObject({ key: z.string().min(1).max(256) });

export type ParkedChange =
  | z.infer<typeof parkedKeySchema>
  | { readonly unreadable: { readonly sequenceNumber: string | undefined; readonly keys: unknown } };

export const parkedKey = (key: string): ParkedChange => ({ key });

/** Names the record by its keys alone; its images hold what a customer wrote. */
export const parkedRecord = ({ dynamodb }: StreamRecord): ParkedChange => ({
  unreadable: { sequenceNumber: dynamodb?.SequenceNumber, keys: dynamodb?.Keys },
});

/** @returns undefined when the body is not a parked key */
export function readParkedKey(body: string): string | undefined {
  try {
    return parkedKeySchema.parse(JSON.parse(body)).key;
  } catch {
    return undefined;
  }
}
