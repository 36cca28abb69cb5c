import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Command, Option } from 'commander';
import { CliError, EXIT } from '../../cli/output/cli-error.ts';
import { runProgram } from '../../cli/run-program.ts';
import { type Checked, checkConfiguration } from './check-configuration.ts';
import { type Configuration, configurations } from './configurations.ts';

/**
 * Checks the protocol exhaustively: every configuration that must hold, every broken variant that must be found. A line for each,
 * counts at the end; exit code 1 when one was not as expected, 0 with a line of its own when spin or gcc is missing.
 */
const SETS: Readonly<Record<'quick' | 'usual' | 'all', readonly Configuration['set'][]>> = {
  quick: ['quick'],
  usual: ['quick', 'usual'],
  all: ['quick', 'usual', 'long'],
};
const SIDE_BY_SIDE = 2;

interface Summary {
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Options {
  readonly quick?: boolean;
  readonly all?: boolean;
  readonly only?: string;
  readonly trace?: boolean;
  readonly json?: boolean;
}

const command = new Command('npm run model --')
  .description('Checks the protocol exhaustively: what must hold, and what must be found.')
  .addOption(new Option('--quick', 'the short searches alone').conflicts(['all', 'only']))
  .addOption(new Option('--all', 'the long ones too').conflicts(['quick', 'only']))
  .option('--only <part>', 'of all sets, those whose model and name contain this text')
  .option('--trace', 'prints each counterexample step by step')
  .option('--json', 'one JSON document on stdout')
  .action(async (options: Options) => {
    const say = (text: string): void => {
      if (options.json !== true) console.log(text);
    };
    const summary = await checkAll(chosen(options), options.trace ?? false, say);
    if (options.json === true) console.log(JSON.stringify(summary));
    process.exitCode = summary.result === 'failed' ? EXIT.failed : EXIT.ok;
  });

await runProgram(command);

function chosen({ only, all, quick }: Options): readonly Configuration[] {
  if (only === undefined) {
    const sets = SETS[all === true ? 'all' : quick === true ? 'quick' : 'usual'];
    return configurations.filter(({ set }) => sets.includes(set));
  }
  const found = configurations.filter(({ model, name }) => `${model} ${name}`.includes(only));
  if (found.length > 0) return found;
  const names = configurations.map(({ model, name }) => `${model} ${name}`).join(' · ');
  throw new CliError(`No configuration's name contains "${only}"; there are: ${names}`, { exitCode: EXIT.nothingFound });
}

type Say = (text: string) => void;

async function checkAll(list: readonly Configuration[], traced: boolean, say: Say): Promise<Summary> {
  const missing = await missingTool();
  if (missing !== undefined) {
    say(`model check skipped: install ${missing} (Debian package \`${missing}\`) to check the protocol exhaustively`);
    return { result: 'skipped', passed: 0, failed: 0, skipped: list.length };
  }
  const startedAtMs = Date.now();
  const results = await checkSideBySide(list, traced, say);
  const passed = results.filter(({ asExpected }) => asExpected).length;
  const failed = list.length - passed;
  const states = results.reduce((total, result) => total + result.states, 0);
  say(`model: ${passed} as expected, ${failed} not; ${states.toLocaleString('en')} states in ${seconds(Date.now() - startedAtMs)} s`);
  return { result: failed === 0 ? 'passed' : 'failed', passed, failed, skipped: 0 };
}

async function missingTool(): Promise<string | undefined> {
  for (const [tool, ask] of [
    ['spin', '-V'],
    ['gcc', '--version'],
  ] as const) {
    try {
      await promisify(execFile)(tool, [ask]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return tool;
    }
  }
  return undefined;
}

/** An interrupt ends the searches under way, and their directories are removed. */
async function checkSideBySide(list: readonly Configuration[], traced: boolean, say: Say): Promise<Checked[]> {
  const interrupt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort());
  const waiting = [...list];
  const results: Checked[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !interrupt.signal.aborted; next = waiting.shift()) {
      const checked = await checkConfiguration(next, { signal: interrupt.signal, traced });
      results.push(checked);
      say(lineOf(next, checked));
      for (const step of checked.trace) say(`      ${step}`);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return results;
}

function lineOf({ model, name, expects }: Configuration, { asExpected, finding, states, seconds: took }: Checked): string {
  const word = asExpected ? expects.kind : `expected: ${expects.kind}`;
  const numbers = `${String(states).padStart(9)} states ${took.toFixed(1).padStart(6)} s`;
  const mark = asExpected ? '✓' : '✗';
  return `${mark} ${model.padEnd(8)}${name.padEnd(66)} ${word.padEnd(6)} ${numbers}${asExpected ? '' : `  ${finding}`}`;
}

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(1);
}
