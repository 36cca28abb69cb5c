/** Of repeated runs: the middle one, and how far apart they lie. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, least: sorted[0] ?? 0, most: sorted.at(-1) ?? 0 };
}

export const formatSpread = ({ median, least, most }: Spread, digits = 0): string => {
  const text = (value: number): string => value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text(median)} (${text(least)}–${text(most)})`;
};
