import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Counts } from './count-tests.ts';

const PARENT_CHECK_MS = 1_000;

/**
 * The frame of a whole run: a directory for reports, an orderly end when it is interrupted, and at last the line
 * `N passed, N failed`, whatever happened. The exit code is 0 only when nothing failed.
 */
export async function run(work: (frame: { reportDirectory: string; signal: AbortSignal }) => Promise<Counts>): Promise<void> {
  const reportDirectory = mkdtempSync(join(tmpdir(), 'andal-check-'));
  const interruption = new AbortController();
  endWhenAsked(interruption);
  let counts: Counts = { passed: 0, failed: 1 };
  try {
    counts = await work({ reportDirectory, signal: interruption.signal });
  } catch (error) {
    console.log(error);
  } finally {
    rmSync(reportDirectory, { recursive: true, force: true });
  }
  process.exitCode = counts.failed === 0 ? 0 : 1;
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
}

function endWhenAsked(interruption: AbortController): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interruption.abort());
  // A shell or npm that is ended does not always tell its child; without a parent nobody waits for this run.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || interruption.abort(), PARENT_CHECK_MS).unref();
}
