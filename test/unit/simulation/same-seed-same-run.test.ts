import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createPool, type Pool } from '../../simulation/modes/pool.ts';

const ENTRY = join(import.meta.dirname, '..', '..', 'simulation', 'simulate.ts');
const TIMEOUT_MS = 120_000;

const pools: Pool[] = [];
const poolOf = (options: Partial<Parameters<typeof createPool>[0]> = {}): Pool => {
  const pool = createPool({ entry: ENTRY, jobs: 1, patienceMs: TIMEOUT_MS, ...options });
  pools.push(pool);
  return pool;
};
const directories: string[] = [];
const entryThat = (does: string): string => {
  const directory = mkdtempSync(join(tmpdir(), 'andal-worker-'));
  directories.push(directory);
  const file = join(directory, 'worker.mjs');
  writeFileSync(file, `process.on('message', ({ number, runCase }) => { ${does} });`);
  return file;
};
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

test('one seed is one run: again, after others, in another process and with its trace kept', { timeout: TIMEOUT_MS }, async () => {
  const [one, other] = [poolOf(), poolOf()];
  const hash = async (pool: Pool, seed: number, trace = false): Promise<string> =>
    (await pool.play({ mode: 'safety', seed }, { trace })).hash;
  const first = await hash(one, 7);
  expect(first).toMatch(/^[0-9a-f]{16}$/);
  const another = await hash(one, 8);
  expect(another).not.toBe(first);
  expect(await hash(one, 7)).toBe(first);
  expect(await hash(other, 8, true)).toBe(another);
  expect(await hash(other, 7)).toBe(first);
});

test('a run that never ends is reported as hanging, by its seed, and the next one still runs', { timeout: TIMEOUT_MS }, async () => {
  const entry = entryThat(`if (runCase.seed === 1) for (;;); process.send({ number, played: { runCase, broken: [] } });`);
  const pool = poolOf({ entry, patienceMs: 3_000 });
  const [hung, fine] = await Promise.all([pool.play({ mode: 'safety', seed: 1 }), pool.play({ mode: 'safety', seed: 2 })]);
  expect(hung.broken).toEqual([expect.objectContaining({ invariant: 'hangs' })]);
  expect(hung.runCase.seed).toBe(1);
  expect(fine.broken).toEqual([]);
});

test('a run that takes its process down is reported as its end, with what the process said last', { timeout: TIMEOUT_MS }, async () => {
  const pool = poolOf({ entry: entryThat(`console.error('out of breath', runCase.seed); process.exitCode = 3; process.exit();`) });
  const { broken, runCase } = await pool.play({ mode: 'safety', seed: 5 });
  expect(runCase.seed).toBe(5);
  expect(broken).toEqual([expect.objectContaining({ invariant: 'died', how: expect.stringContaining('out of breath 5') })]);
});
