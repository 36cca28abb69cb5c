import { expect, it } from 'vitest';
import { barChart } from '../../../bench/report/bar-chart.ts';
import { documentOf } from '../../../bench/report/document.ts';
import type { Part, PartReport } from '../../../bench/report/part.ts';
import { formatSpread, spreadOf } from '../../../bench/report/spread.ts';

const report: PartReport = {
  budgets: [
    { what: 'writes', budget: '≤ 3', measured: '3', kept: true },
    { what: 'bytes', budget: '≤ 10', measured: '11', kept: false },
  ],
  tables: [{ title: 'Both', head: ['A|B', 'C'], rows: [['x', 12_345]] }],
  charts: [{ name: 'plot', title: 'Plot', unit: 'bytes', bars: [] }],
  notes: ['How it was measured.'],
};
const run = async () => report;
const parts: Record<string, Part> = { one: { title: 'One', timed: true, run }, two: { title: 'Two', timed: false, run } };
const results = { one: { report, at: '2026-12-01T10:00:00.000Z', command: 'npm run bench -- one', machine: 'a machine' } };

it('the document has every budget with its value, says which is not kept, and what was not measured', () => {
  const text = documentOf(parts, results);
  expect(text).toContain('| writes | ≤ 3 | 3 | yes |');
  expect(text).toContain('| bytes | ≤ 10 | 11 | **no** |');
  expect(text).toContain('Not measured yet: two.');
  expect(text).toContain('`npm run bench -- one`, 2026-12-01, a machine.');
  expect(text).toContain('![Plot, bytes](images/plot.svg)');
  expect(text).toContain('| A\\|B | C |');
  expect(text).toContain('| x | 12,345 |');
});

it('a plot draws its bars from a common zero, the longest the widest', () => {
  const svg = barChart({
    name: 'p',
    title: 'A < B',
    unit: 'USD',
    bars: [
      { label: 'one', value: 5, ours: true },
      { label: 'two & three', value: 10 },
    ],
  });
  const [short = 0, long = 0] = [...svg.matchAll(/<rect[^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect(long / short).toBeCloseTo(2, 1);
  expect(svg).toContain('A &#60; B');
  expect(svg).toContain('two &#38; three');
});

it('a spread is the middle of the runs with the least and the most of them', () => {
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 });
  expect(formatSpread({ median: 1_234.5, least: 1, most: 2 }, 1)).toBe('1,234.5 (1.0–2.0)');
});
