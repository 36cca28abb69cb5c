import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { HuntResult } from './hunt.ts';
import type { Mutant, SuiteHunt } from './mutant.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HUNT = fileURLToPath(new URL('hunt.ts', import.meta.url));
const SUITE_CONFIG = fileURLToPath(new URL('vitest.config.ts', import.meta.url));

/** A mutant that makes its run go round for ever would otherwise hold up all others. */
const WATCHDOG_MS = 300_000;

/** What became of one mutant. */
export interface Verdict {
  readonly mutant: string;
  /** An invariant, or a test's title. */
  readonly killer: string | undefined;
  readonly how: string | undefined;
  /** Story and seed, or the suite's file. */
  readonly where: string;
  readonly runs: number;
  readonly seconds: number;
  /** Why this is no kill. */
  readonly fault: string | undefined;
}

type Found = Omit<Verdict, 'mutant' | 'seconds'>;

/** Never rejects: what breaks on the way is the verdict's fault. */
export async function tryMutant(mutant: Mutant): Promise<Verdict> {
  const startedAtMs = Date.now();
  const suite = mutant.hunts?.find((hunt): hunt is SuiteHunt => hunt.by === 'suite');
  const found = await (suite === undefined ? hunted(mutant) : tested(mutant, suite)).catch(
    (error: Error): Found => ({ killer: undefined, how: undefined, where: '', runs: 0, fault: error.message }),
  );
  return { mutant: mutant.name, ...found, seconds: Math.round((Date.now() - startedAtMs) / 1000) };
}

async function hunted({ name, killers }: Mutant): Promise<Found> {
  const { kill, unexpected, runs } = await hunt([name]);
  if (kill === undefined) {
    const others = unexpected === undefined ? '' : `; ${unexpected.killer} alone noticed (seed ${unexpected.seed}): ${unexpected.how}`;
    return { killer: undefined, how: undefined, where: '', runs, fault: `survived ${killers.join(', ')}${others}` };
  }
  const { killer, how, story, seed } = kill;
  const found = { killer, how, where: `${story}, seed ${seed}`, runs };
  const sober = await hunt([name, '--unedited', String(kill.hunt), String(seed)]);
  const alsoThere = sober.kill?.killer === killer;
  return { ...found, fault: alsoThere ? `${killer} is violated there without the mutant, too: ${sober.kill?.how}` : undefined };
}

async function hunt(given: readonly string[]): Promise<HuntResult> {
  const { code, stdout, stderr } = await runNode([HUNT, ...given]);
  if (code !== 0) throw new Error(`the hunt broke: ${stderr.trim().split('\n').slice(-6).join(' | ')}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as HuntResult;
}

interface SuiteReport {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

async function tested({ name, killers }: Mutant, { project, file }: SuiteHunt): Promise<Found> {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const { stdout, stderr } = await runNode([vitest, 'run', '--config', SUITE_CONFIG, '--project', project, '--reporter=json', file], {
    ANDAL_MUTANT: name,
  });
  const report = stdout.slice(stdout.indexOf('{"'));
  if (report === '') throw new Error(`the suite broke: ${stderr.trim().split('\n').slice(-6).join(' | ')}`);
  const results = (JSON.parse(report) as SuiteReport).testResults;
  const tests = results.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  const killer = failed.find((title) => killers.some((words) => title.includes(words))) ?? failed[0];
  const found = { killer, how: undefined, where: file, runs: tests.length };
  if (tests.length === 0) return { ...found, fault: `the suite did not load: ${results[0]?.message.slice(0, 200)}` };
  if (killer === undefined) return { ...found, fault: 'survived' };
  return { ...found, fault: killers.some((words) => killer.includes(words)) ? undefined : `noticed by "${killer}"` };
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runNode(given: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...given], {
      cwd: ROOT,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    const watchdog = setTimeout(() => child.kill('SIGKILL'), WATCHDOG_MS);
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(watchdog);
      if (signal === 'SIGKILL') return reject(new Error(`not done after ${WATCHDOG_MS / 1000} s`));
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() });
    });
  });
}
