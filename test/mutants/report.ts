import type { Verdict } from './try-mutant.ts';

const COLUMNS = ['mutant', 'noticed by', 'where', 'runs', 's'] as const;

/** One line a mutant, and a sentence for each that was not noticed as it should be. */
export function reportOf(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ mutant, killer = '-', where, runs, seconds }) => [
    mutant,
    shortened(killer),
    where,
    String(runs),
    String(seconds),
  ]);
  const widths = COLUMNS.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const faults = verdicts.flatMap(({ mutant, fault }) => (fault === undefined ? [] : [`${mutant}: ${fault}`]));
  const killed = verdicts.length - faults.length;
  const last =
    faults.length === 0
      ? `All ${killed} mutants were noticed.`
      : `${killed} of ${verdicts.length} mutants were noticed; not so:\n${faults.join('\n')}`;
  return `${[line(COLUMNS), ...rows.map(line)].join('\n')}\n\n${last}\n`;
}

/** Of a test's title the beginning tells enough. */
const shortened = (killer: string): string => (killer.length <= LONGEST_KILLER ? killer : `${killer.slice(0, LONGEST_KILLER - 1)}…`);
const LONGEST_KILLER = 36;
