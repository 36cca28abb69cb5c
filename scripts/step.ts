import { join } from 'node:path';

/** One line of `npm run check`: a program whose exit code is the answer. */
export interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly timeoutMs: number;
  /** Where a test run leaves its counts; a step without it counts as one. */
  readonly reportFile?: string;
  /** Shown while it runs, not only when it fails. */
  readonly live?: boolean;
}

const MINUTE_MS = 60_000;

const script = (file: string): readonly [string, string] => [process.execPath, join('scripts', file)];

/** Everything that needs no emulator and no network, slowest first so that two at a time end early. */
export const checkSteps = (reportDirectory: string): Step[] => [
  testStep('infra', { reportDirectory, timeoutMs: 5 * MINUTE_MS }),
  testStep('unit', { reportDirectory, timeoutMs: 5 * MINUTE_MS }),
  testStep('conformance', { reportDirectory, timeoutMs: 5 * MINUTE_MS }),
  { name: 'types', command: ['tsc', '-p', '.'], timeoutMs: 2 * MINUTE_MS },
  {
    name: 'format and lint',
    command: ['biome', 'ci', '.', '--error-on-warnings', '--max-diagnostics=20', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`],
    timeoutMs: MINUTE_MS,
  },
  { name: 'directions', command: script('check-directions.ts'), timeoutMs: MINUTE_MS },
  { name: 'dead code', command: ['knip', '--no-progress'], timeoutMs: MINUTE_MS },
  { name: 'house rules', command: script('check-rules.ts'), timeoutMs: MINUTE_MS },
];

export const integrationStep = (reportDirectory: string): Step =>
  testStep('integration', { reportDirectory, timeoutMs: 25 * MINUTE_MS, live: true });

function testStep(
  project: string,
  { reportDirectory, timeoutMs, live = false }: { reportDirectory: string; timeoutMs: number; live?: boolean },
): Step {
  const reportFile = join(reportDirectory, `${project}.json`);
  const reporters = [`--reporter=${live ? 'verbose' : 'default'}`, '--reporter=json', `--outputFile.json=${reportFile}`];
  return { name: `${project} tests`, command: ['vitest', 'run', '--project', project, ...reporters], timeoutMs, reportFile, live };
}
