import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** Stands in the failure: "order u-1/… to be paid". */
  readonly what: string;
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/**
 * Looks again and again until `look` gives something.
 *
 * @returns the first answer that is not undefined and not false
 * @throws Error when the deadline passes; it carries the last thing `look` told `note`
 */
export async function waitUntil<Found>(
  { what, withinMs = 30_000, everyMs = 100 }: Patience,
  look: (note: (seen: unknown) => void) => Promise<Found | undefined | false>,
): Promise<Found> {
  const deadline = Date.now() + withinMs;
  let lastSeen: unknown;
  while (true) {
    const found = await look((seen) => {
      lastSeen = seen;
    });
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}; last seen: ${JSON.stringify(lastSeen)}`);
    await sleep(everyMs);
  }
}
