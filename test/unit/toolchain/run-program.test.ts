import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runProgram } from '../../../scripts/run-program.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'andal-program-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const options = { timeoutMs: 20_000, live: false, signal: new AbortController().signal };
const nodeProgram = (code: string): [string, ...string[]] => [process.execPath, '-e', code];
const isAlive = (pid: number): boolean => {
  try {
    // The corpse of a killed process answers signals until its parent looks; /proc tells them apart where it exists.
    return process.kill(pid, 0) && !(existsSync(`/proc/${pid}/stat`) && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
  } catch {
    return false;
  }
};

/** Starts a child that would live for a minute, and writes its pid down. */
const startsChild = (pidFile: string): string =>
  `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'inherit' });
   require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));`;

test('returns what a program said and how it ended', async () => {
  const result = await runProgram(nodeProgram("console.log('out'); console.error('err'); process.exitCode = 3"), options);
  expect(result.exitCode).toBe(3);
  expect(result.output).toContain('out\n');
  expect(result.output).toContain('err\n');
});

test('leaves no child of a program behind', async () => {
  const pidFile = join(directory, 'child.pid');
  const result = await runProgram(nodeProgram(`${startsChild(pidFile)} process.exit(0)`), options);
  expect(result.exitCode).toBe(0);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5_000 });
});

test('ends a program that takes too long, with its children, and says so', async () => {
  const pidFile = join(directory, 'child.pid');
  const result = await runProgram(nodeProgram(`${startsChild(pidFile)} setInterval(() => {}, 1000)`), { ...options, timeoutMs: 1_500 });
  expect(result.exitCode).not.toBe(0);
  expect(result.output).toContain('took longer than 1.5 s');
  await vi.waitFor(() => expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false), { timeout: 5_000 });
});

test('ends a program when the run is interrupted', async () => {
  const interruption = new AbortController();
  const running = runProgram(nodeProgram('setInterval(() => {}, 1000)'), { ...options, signal: interruption.signal });
  interruption.abort();
  const result = await running;
  expect(result.exitCode).not.toBe(0);
  expect(result.output).toContain('interrupted');
});

test('says what to do about a program that is not there', async () => {
  const result = await runProgram(['no-such-program-here'], options);
  expect(result).toEqual({ exitCode: 1, output: expect.stringContaining('run npm ci') });
});
