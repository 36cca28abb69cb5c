import { InvalidArgumentError } from 'commander';

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads `90s`, `15m`, `2h`, `3d`. @returns milliseconds */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined)
    throw new InvalidArgumentError('A duration is a whole number and a unit, s, m, h or d: 90s, 15m, 2h, 3d.');
  return Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** The two largest units, rounded down: `3 d 4 h`, `12 min`, `8 s`. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}
