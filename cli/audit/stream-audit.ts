import { once } from 'node:events';
import type { AuditEntry } from '#shared/dead-letter/audit.ts';
import { bad, doubtful, quiet } from '../output/paint.ts';
import { NO_OUTCOME } from './no-outcome.ts';

type Out = Pick<NodeJS.WriteStream, 'write' | 'once' | 'on'>;

/**
 * Writes entries as they come and keeps none, at the pace they are taken; a reader who has seen enough ends it.
 *
 * @param json as one document, `{ "entries": [ … ] }`
 * @returns how many there were
 */
export async function streamAudit(entries: AsyncIterable<AuditEntry>, json: boolean, out: Out = process.stdout): Promise<number> {
  let [count, isGone] = [0, false];
  out.on('error', () => {
    isGone = true;
  });
  const write = async (text: string): Promise<void> => {
    if (!out.write(text) && !isGone)
      await Promise.race([once(out as NodeJS.WriteStream, 'drain'), once(out as NodeJS.WriteStream, 'close')]);
  };
  if (json) await write('{ "entries": [');
  for await (const entry of entries) {
    if (isGone) break;
    await write(json ? `${count === 0 ? '' : ','}\n${JSON.stringify(asDocument(entry))}` : `${formatEntry(entry)}\n`);
    count++;
  }
  if (json) await write(`${count === 0 ? '' : '\n'}] }\n`);
  return count;
}

const asDocument = (entry: AuditEntry): Record<string, unknown> => ({
  ...entry,
  at: new Date(entry.atMs).toISOString(),
  outcome: entry.outcome ?? null,
});

/** One line: when, who, what, to what, why, and how it ended. */
export function formatEntry(entry: AuditEntry): string {
  const { atMs, who, what, why, outcome } = entry;
  return [
    quiet(new Date(atMs).toISOString().replace('T', ' ').slice(0, 19)),
    who,
    what,
    subjectOf(entry),
    quiet(`(${why})`),
    `→ ${paintOutcome(outcome)}`,
  ].join('  ');
}

function subjectOf({ key, kind, queue, messageId, letterReason }: AuditEntry): string {
  const name = key ?? (messageId === undefined ? (kind ?? 'the pipeline') : `${kind ?? queue} message ${messageId.slice(0, 8)}`);
  return letterReason === undefined ? name : `${name} [${letterReason}]`;
}

function paintOutcome(outcome: string | undefined): string {
  if (outcome === undefined) return doubtful(NO_OUTCOME);
  return outcome.startsWith('failed') ? bad(outcome) : outcome;
}
