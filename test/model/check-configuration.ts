import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Configuration } from './configurations.ts';

export interface Checked {
  readonly asExpected: boolean;
  /** What spin found: `holds`, or the violated assertion, or why the search said nothing. */
  readonly finding: string;
  readonly states: number;
  readonly seconds: number;
  /** The counterexample, step by step, where asked for. */
  readonly trace: readonly string[];
}

export interface CheckOptions {
  readonly signal: AbortSignal;
  readonly traced: boolean;
}

/** Megabytes one search may take; two run at a time. */
const MEMORY_LIMIT = 3_000;
const TIMEOUT_MS = 10 * 60_000;
const DEEPEST = '20000000';
/** Fewer than any of our configurations has: a search that saw so little has searched nothing. */
const FEWEST_STATES = 5;

/**
 * Generates, compiles and runs one exhaustive search in a directory of its own, which is removed again.
 *
 * Broken variants are searched breadth first: the shortest counterexample, early. What has to hold is searched depth first, which
 * takes less memory, and what has to end with weak fairness.
 */
export async function checkConfiguration(configuration: Configuration, { signal, traced }: CheckOptions): Promise<Checked> {
  const startedAtMs = Date.now();
  const directory = await mkdtemp(join(tmpdir(), 'andal-model-'));
  try {
    const output = await search(configuration, directory, signal);
    const judged = judge(configuration, output);
    const trace = traced && /errors: [1-9]/.test(output) ? await traceOf(configuration, directory, signal) : [];
    return { ...judged, states: statesIn(output), seconds: (Date.now() - startedAtMs) / 1000, trace };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function search({ model, switches, expects }: Configuration, directory: string, signal: AbortSignal): Promise<string> {
  await copyFile(join(import.meta.dirname, `${model}.pml`), join(directory, 'm.pml'));
  const isLive = switches.includes('-DLIVE');
  const breadthFirst = expects.kind === 'found' && !isLive;
  const run = (program: string, args: readonly string[]): Promise<string> => output(program, args, { directory, signal });
  const generated = await run('spin', [...given(switches), '-a', 'm.pml']);
  const mode = isLive ? ['-DNFAIR=4'] : ['-DSAFETY', ...(breadthFirst ? ['-DBFS'] : [])];
  // Counterexamples are found in less time than an optimizer takes.
  const speed = expects.kind === 'found' && !isLive ? '-O0' : '-O2';
  const compiled = await run('gcc', [speed, '-w', `-DMEMLIM=${MEMORY_LIMIT}`, '-DCOLLAPSE', ...mode, '-o', 'pan', 'pan.c']);
  const searched = await run(join(directory, 'pan'), [`-m${DEEPEST}`, '-w22', ...(isLive ? ['-a', '-f'] : [])]);
  return [generated, compiled, searched].join('\n');
}

const given = (switches: string): string[] => switches.split(' ').filter((one) => one !== '');

/** What a program said, whatever its exit code: spin and pan report their findings in words. */
function output(
  program: string,
  args: readonly string[],
  { directory, signal }: { directory: string; signal: AbortSignal },
): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      program,
      [...args],
      { cwd: directory, signal, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve(`${stdout}${stderr}${error === null ? '' : `\nended early: ${reasonOf(error)}`}`),
    );
  });
}

const reasonOf = (error: Error): string => error.message.split('\n')[0] ?? 'no reason given';

function judge({ expects }: Configuration, said: string): Pick<Checked, 'asExpected' | 'finding'> {
  const errors = /errors: (\d+)/.exec(said)?.[1];
  if (errors === undefined) return { asExpected: false, finding: `no search: ${said.trim().split('\n').at(-1) ?? ''}` };
  const violated = /^pan:\d+: (.*?)(?: \(at depth \d+\))?$/m.exec(said)?.[1];
  if (expects.kind === 'found') {
    const asExpected = errors !== '0' && violated?.includes(expects.assertion) === true;
    return { asExpected, finding: violated ?? `no counterexample with ${expects.assertion}` };
  }
  if (violated !== undefined || errors !== '0') return { asExpected: false, finding: violated ?? 'an error without a name' };
  const incomplete = /Search not completed|max search depth too small|out of memory|ended early/i.exec(said)?.[0];
  if (incomplete !== undefined || statesIn(said) < FEWEST_STATES) return { asExpected: false, finding: incomplete ?? 'nothing searched' };
  return { asExpected: true, finding: 'holds' };
}

const statesIn = (said: string): number => Number(/^ *([\d.e+]+) states, stored/m.exec(said)?.[1] ?? 0);

/** Assignments say what happened; spin's own bookkeeping and the picking of fresh values do not. */
const SILENT = /^\.\(|^(?:IF|DO|else|D_STEP|ATOMIC|1|v|t) ?(?:=.*)?$|sub-sequence|goto|break|^\(run/;
const STEP = /^ *(\d+):\s+proc +(\d+) \((\w+):.*?\(state \d+\)\s*\[(.*)\]$/;

async function traceOf({ switches }: Configuration, directory: string, signal: AbortSignal): Promise<string[]> {
  const said = await output('spin', [...given(switches), '-k', 'm.pml.trail', '-p', 'm.pml'], { directory, signal });
  const steps = new Map<string, string[]>();
  for (const line of said.split('\n')) {
    const [, number, process, name, what] = STEP.exec(line) ?? [];
    if (what === undefined || SILENT.test(what) || !/ = /.test(what)) continue;
    const step = `${number?.padStart(4)} ${name} ${process}`;
    steps.set(step, [...(steps.get(step) ?? []), what]);
  }
  return [...steps].map(([step, happened]) => `${step.padEnd(20)} ${happened.join('; ')}`);
}
