import { mkdirSync, writeFileSync } from 'node:fs';
import { barChart } from './bar-chart.ts';
import type { BudgetRow, Part, ReportChart, ReportTable } from './part.ts';
import type { PartResult, Results } from './results.ts';

const DOCS = new URL('../../docs/', import.meta.url);

/** Writes docs/performance.md and its plots from what the parts have found, each when it was last run. */
export function writeDocument(parts: Readonly<Record<string, Part>>, results: Results): void {
  mkdirSync(new URL('images/', DOCS), { recursive: true });
  for (const { report } of Object.values(results))
    for (const chart of report.charts) writeFileSync(new URL(`images/${chart.name}.svg`, DOCS), barChart(chart));
  writeFileSync(new URL('performance.md', DOCS), documentOf(parts, results));
}

export function documentOf(parts: Readonly<Record<string, Part>>, results: Results): string {
  const found = Object.keys(parts).flatMap((name) =>
    results[name] === undefined ? [] : [[name, parts[name] as Part, results[name]] as const],
  );
  const missing = Object.keys(parts).filter((name) => results[name] === undefined);
  return [
    '# Performance',
    '',
    'How fast, how cheap, how small; every number from a run of the bench. Written by `npm run bench`; do not edit.',
    '',
    'Counts and bytes are exact and asserted by `npm test` (`test/budgets/`). Times are medians with the least and the most of repeated runs; a difference smaller than that spread is no difference.',
    ...(missing.length === 0 ? [] : ['', `Not measured yet: ${missing.join(', ')}.`]),
    '',
    '## Budgets',
    '',
    ...budgetTable(found.flatMap(([, , { report }]) => report.budgets)),
    ...found.flatMap(([name, part, result]) => section(name, part, result)),
    '',
  ].join('\n');
}

const budgetTable = (budgets: readonly BudgetRow[]): string[] =>
  markdownTable(
    ['What', 'Budget', 'Measured', 'Kept'],
    budgets.map(({ what, budget, measured, kept }) => [what, budget, measured, kept ? 'yes' : '**no**']),
  );

function section(name: string, { title, timed }: Part, { report, at, command, machine }: PartResult): string[] {
  return [
    '',
    `## ${title}`,
    '',
    `\`${command}\`, ${at.slice(0, 10)}${timed ? `, ${machine}` : ''}.`,
    ...report.notes.flatMap((note) => ['', note]),
    ...report.charts.flatMap(chartLines),
    ...report.tables.flatMap(tableLines),
    ...(name === 'bundles'
      ? ['', 'A bundle that grows by 5 % fails `npm test`; `npm run bench -- bundles --record` records what is meant to be.']
      : []),
    ...(name === 'counts'
      ? ['', 'A write or a request more fails `npm test`; `npm run bench -- counts --record` records what is meant to be.']
      : []),
  ];
}

const chartLines = ({ name, title, unit }: ReportChart): string[] => ['', `![${title}, ${unit}](images/${name}.svg)`];
const tableLines = ({ title, head, rows }: ReportTable): string[] => ['', `### ${title}`, '', ...markdownTable(head, rows)];

function markdownTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const cell = (value: string | number): string =>
    typeof value === 'number' ? value.toLocaleString('en-GB') : value.replaceAll('|', '\\|');
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
