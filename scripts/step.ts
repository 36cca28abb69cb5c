import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** One line of `npm run check`: a program whose exit code is the answer. */
export interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly timeoutMs: number;
  /** Where a test run leaves its counts; a step without it counts as one. */
  readonly reportFile?: string;
  /** Its last line is shown when it succeeds: how much was tried, or why nothing was. */
  readonly saysLast?: boolean;
  /** Shown while it runs, not only when it fails. */
  readonly live?: boolean;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const script = (file: string): readonly [string, string] => [process.execPath, join('scripts', file)];

/** About a minute on one core; a number of runs and not a time, so that a commit is always checked by the same ones. */
const FRESH_SEEDS = 400;

/** Everything that needs no emulator and no network, slowest first so that two at a time end early. */
export const checkSteps = (reportDirectory: string): Step[] => [
  simulationStep('corpus and single faults', ['--mode', 'corpus,exhaustive'], { reportDirectory, timeoutMs: 15 * MINUTE_MS }),
  simulationStep('a minute of fresh seeds', ['--seed', 'commit', '--runs', String(FRESH_SEEDS)], {
    reportDirectory,
    timeoutMs: 15 * MINUTE_MS,
  }),
  // Without spin it says so and passes: the model needs no code of ours, and not every machine has a package for it.
  { name: 'model', command: [process.execPath, join('test', 'model', 'run.ts'), '--quick'], timeoutMs: 10 * MINUTE_MS, saysLast: true },
  testStep('infra', { reportDirectory, timeoutMs: 5 * MINUTE_MS }),
  testStep('unit', { reportDirectory, timeoutMs: 5 * MINUTE_MS }),
  testStep('conformance', { reportDirectory, timeoutMs: 5 * MINUTE_MS }),
  // What a job writes, asks and sends, and how large a function is: exact numbers, no times.
  testStep('budgets', { reportDirectory, timeoutMs: 5 * MINUTE_MS }),
  { name: 'types', command: ['tsc', '-p', '.'], timeoutMs: 2 * MINUTE_MS },
  {
    name: 'format and lint',
    command: ['biome', 'ci', '.', '--error-on-warnings', '--max-diagnostics=20', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`],
    timeoutMs: MINUTE_MS,
  },
  { name: 'directions', command: script('check-directions.ts'), timeoutMs: MINUTE_MS },
  { name: 'dead code', command: ['knip', '--no-progress'], timeoutMs: MINUTE_MS },
  { name: 'payload schemas', command: [...script('schemas.ts'), '--check'], timeoutMs: MINUTE_MS },
  { name: 'house rules', command: script('check-rules.ts'), timeoutMs: MINUTE_MS },
];

/** The command line as a process: a hundred starts of it. */
export const cliStep = (reportDirectory: string): Step => testStep('cli', { reportDirectory, timeoutMs: 15 * MINUTE_MS });

export const integrationStep = (reportDirectory: string): Step =>
  testStep('integration', { reportDirectory, timeoutMs: 25 * MINUTE_MS, live: true });

/** What takes hours: every promise under as much as can be tried. */
export const verifySteps = (reportDirectory: string, { isFull }: { readonly isFull: boolean }): Step[] => [
  ...[
    {
      name: isFull ? 'all pairs of faults' : 'pairs of faults',
      args: ['--mode', 'exhaustive', '--pairs', ...(isFull ? [] : ['--sample', '20000'])],
    },
    { name: 'what stays broken for hours', args: ['--mode', 'liveness'] },
    { name: '20,000 seeds', args: ['--seed', 'commit', '--runs', '20000'] },
  ].map(({ name, args }) => simulationStep(name, args, { reportDirectory, timeoutMs: DAY_MS, jobs: availableParallelism(), live: true })),
  { name: 'mutants', command: ['npm', 'run', '--silent', 'mutants'], timeoutMs: DAY_MS, live: true },
  { name: 'model', command: ['npm', 'run', '--silent', 'model'], timeoutMs: DAY_MS, live: true },
];

/** A busy machine is no endless run. */
const PATIENCE_SECONDS = '300';

function simulationStep(
  what: string,
  args: readonly string[],
  { reportDirectory, timeoutMs, jobs = 1, live = false }: { reportDirectory: string; timeoutMs: number; jobs?: number; live?: boolean },
): Step {
  const reportFile = join(reportDirectory, `simulation-${what.replaceAll(/[^a-z0-9]+/gi, '-')}.json`);
  const entry = join('test', 'simulation', 'simulate.ts');
  const command = [
    process.execPath,
    entry,
    ...args,
    '--jobs',
    String(jobs),
    '--patience',
    PATIENCE_SECONDS,
    '--report',
    reportFile,
  ] as const;
  return { name: `simulation: ${what}`, command, timeoutMs, reportFile, live, saysLast: true };
}

function testStep(
  project: string,
  { reportDirectory, timeoutMs, live = false }: { reportDirectory: string; timeoutMs: number; live?: boolean },
): Step {
  const reportFile = join(reportDirectory, `${project}.json`);
  const reporters = [`--reporter=${live ? 'verbose' : 'default'}`, '--reporter=json', `--outputFile.json=${reportFile}`];
  return { name: `${project} tests`, command: ['vitest', 'run', '--project', project, ...reporters], timeoutMs, reportFile, live };
}
