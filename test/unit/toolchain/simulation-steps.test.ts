import { expect, test } from 'vitest';
import { checkSteps, type Step, verifySteps } from '../../../scripts/step.ts';
import { readOptions } from '../../simulation/modes/options.ts';

const simulationsIn = (steps: readonly Step[]) =>
  steps
    .filter(({ name }) => name.startsWith('simulation:'))
    .map(({ command: [, ...args], reportFile }) => ({ options: readOptions(['node', ...args]), reportFile }));

test('each check plays the corpus, every single fault, and fresh seeds of its commit', () => {
  const [faults, seeds] = simulationsIn(checkSteps('/reports'));
  expect(faults?.options.mode).toEqual(['corpus', 'exhaustive']);
  expect(faults?.options.pairs).toBeUndefined();
  expect(seeds?.options.mode).toEqual(['safety']);
  expect(seeds?.options.runs).toBeGreaterThanOrEqual(100);
  // The seed is the commit's: the same command reads the same one twice.
  expect(simulationsIn(checkSteps('/reports'))[1]?.options.seed).toBe(seeds?.options.seed);
});

test('the long proof plays pairs, everything that stays broken, and 20,000 seeds, then mutants and model', () => {
  const steps = verifySteps('/reports', { isFull: false });
  expect(simulationsIn(steps).map(({ options: { mode, pairs, sample, runs } }) => ({ mode, pairs, sample, runs }))).toEqual([
    { mode: ['exhaustive'], pairs: true, sample: 20_000, runs: undefined },
    { mode: ['liveness'], pairs: undefined, sample: undefined, runs: undefined },
    { mode: ['safety'], pairs: undefined, sample: undefined, runs: 20_000 },
  ]);
  expect(steps.map(({ name }) => name)).toEqual(expect.arrayContaining(['mutants', 'model']));
  expect(simulationsIn(verifySteps('/reports', { isFull: true }))[0]?.options.sample).toBeUndefined();
});

test('every simulation leaves its counts in a file of its own', () => {
  const files = [...checkSteps('/reports'), ...verifySteps('/reports', { isFull: false })].flatMap(({ reportFile }) => reportFile ?? []);
  expect(new Set(files).size).toBe(files.length);
  for (const { options, reportFile } of simulationsIn(checkSteps('/reports'))) expect(options.report).toBe(reportFile);
});
