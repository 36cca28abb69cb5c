import { setTimeout as sleep } from 'node:timers/promises';
import { findLogLines, pipelineLogGroups } from '../aws/log-lines.ts';
import type { Session } from '../session.ts';

const PATIENCE_MS = 15_000;
const EVERY_MS = 500;

/**
 * What the runs of a function since an instant have written of themselves, oldest first. A log takes a moment to be read.
 *
 * Does not protect against a run of its own schedule that fell into the same moment: it is among them.
 *
 * @returns none when nothing could be read in time
 */
export async function linesSince(
  { clients, target }: Session,
  message: string,
  sinceMs: number,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const groups = await pipelineLogGroups(clients.cloudFormation, target.stage);
  const deadlineMs = Date.now() + PATIENCE_MS;
  while (true) {
    const lines = (await findLogLines(clients.logs, groups, message, sinceMs)).filter(
      ({ fields, atMs }) => fields['message'] === message && atMs >= sinceMs,
    );
    if (lines.length > 0 || Date.now() >= deadlineMs) return lines.map(({ fields }) => fields);
    await sleep(EVERY_MS);
  }
}

/** Counts of several runs together. */
export function addUp(tallies: readonly unknown[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const tally of tallies) {
    for (const [name, count] of Object.entries((tally ?? {}) as Record<string, unknown>))
      if (typeof count === 'number') sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}
