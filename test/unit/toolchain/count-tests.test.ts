import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { countStep, countTests, sum } from '../../../scripts/count-tests.ts';

const directory = mkdtempSync(join(tmpdir(), 'andal-counts-'));
afterAll(() => rmSync(directory, { recursive: true }));

const report = (...files: string[][]): string => {
  const path = join(directory, 'report.json');
  const testResults = files.map((results) => ({
    status: results.includes('failed') || results.includes('broken') ? 'failed' : 'passed',
    assertionResults: results.filter((status) => status !== 'broken').map((status) => ({ status })),
  }));
  writeFileSync(path, JSON.stringify({ testResults }));
  return path;
};

test('counts tests over all files', () => {
  expect(countTests(report(['passed', 'passed'], ['failed', 'passed']), 1)).toEqual({ passed: 3, failed: 1 });
});

test('counts a file that could not be loaded as one failure', () => {
  expect(countTests(report(['passed'], ['broken']), 1)).toEqual({ passed: 1, failed: 1 });
});

test('never reports a run that ended badly as free of failures', () => {
  expect(countTests(report(['passed']), 1)).toEqual({ passed: 1, failed: 1 });
  expect(countTests(join(directory, 'missing.json'), 143)).toEqual({ passed: 0, failed: 1 });
});

test('takes a run without tests as a failure', () => {
  expect(countTests(report(), 0)).toEqual({ passed: 0, failed: 1 });
});

test('counts a step without a report as one', () => {
  expect(sum([countStep(0), countStep(2), { passed: 5, failed: 0 }])).toEqual({ passed: 6, failed: 1 });
});
