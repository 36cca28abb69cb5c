import { AwsError } from '../aws-error.ts';

const MAX_ENTRIES = 10;

export interface BatchEntry {
  readonly Id: string;
}

/** @throws AwsError what refuses a batch as a whole */
export function checkEntries<Entry extends BatchEntry>(entries: readonly Entry[] | undefined): readonly Entry[] {
  if (!entries || entries.length === 0) throw new AwsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (entries.length > MAX_ENTRIES) {
    throw new AwsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MAX_ENTRIES}. You have sent ${entries.length}.`,
    );
  }
  for (const { Id } of entries) {
    if (/^[A-Za-z0-9_-]{1,80}$/.test(Id)) continue;
    throw new AwsError(
      'InvalidBatchEntryId',
      'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
    );
  }
  const repeated = entries.find(({ Id }, position) => entries.findIndex((entry) => entry.Id === Id) !== position);
  if (repeated) throw new AwsError('BatchEntryIdsNotDistinct', `Id ${repeated.Id} repeated.`);
  return entries;
}

/** Every entry on its own: a refused one does not touch the others. */
export function eachEntry<Entry extends BatchEntry>(
  entries: readonly Entry[],
  run: (entry: Entry) => Record<string, unknown>,
): Record<string, unknown> {
  const Successful: Record<string, unknown>[] = [];
  const Failed: Record<string, unknown>[] = [];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...run(entry) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      Failed.push({ Id: entry.Id, Code: entryCode(error), Message: error.message, SenderFault: true });
    }
  }
  return { ...(Successful.length > 0 && { Successful }), ...(Failed.length > 0 && { Failed }) };
}

/** Entries carry the codes of the older query protocol. */
const entryCode = ({ name }: AwsError): string =>
  name.replace('MissingRequiredParameterException', 'MissingParameter').replace(/Exception$/, '');
