const DAY_MS = 86_400_000;

/** The days (UTC) from one instant to another, both included. */
export function daysBetween(fromMs: number, toMs: number): string[] {
  const [first, last] = [Math.floor(fromMs / DAY_MS), Math.floor(toMs / DAY_MS)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => new Date((first + index) * DAY_MS).toISOString().slice(0, 10));
}
