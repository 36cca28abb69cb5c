/**
 * How the waits between attempts lie within their steps, counted over runs: in one run a constant wait looks like chance, over many
 * it does not.
 */
const TENTHS = [5, 6, 7, 8, 9] as const;

/** Below this, the waits say nothing. */
const ENOUGH_WAITS = 100;
/** Evenly spread, each tenth holds a fifth. */
const LEAST_SHARE = 0.05;

/**
 * @param delaySeconds as the message was hidden, whole seconds, rounded up
 * @param stepSeconds the schedule's wait
 */
export function situationOfWait(delaySeconds: number, stepSeconds: number): string {
  const tenth = Math.min(9, Math.max(5, Math.ceil((10 * delaySeconds) / stepSeconds) - 1));
  return situationOf(tenth);
}

const situationOf = (tenth: number): string => `waited ${tenth}0 to ${tenth + 1}0 % of a retry's step`;

/**
 * @param situations counted over all runs of a campaign
 * @returns what is wrong with the spread; undefined when nothing is, or when there were too few waits to tell
 */
export function retrySpreadFault(situations: Readonly<Record<string, number>>): string | undefined {
  const waits = TENTHS.map((tenth) => situations[situationOf(tenth)] ?? 0);
  const total = waits.reduce((sum, count) => sum + count, 0);
  if (total < ENOUGH_WAITS || Math.min(...waits) >= LEAST_SHARE * total) return undefined;
  return `retries are not spread over their steps: ${waits.join(', ')} of ${total} waits in the tenths from 50 to 100 %`;
}
