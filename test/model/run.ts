import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
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

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    only: { type: 'string' },
    trace: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const say = (text: string): void => {
  if (!options.json) console.log(text);
};

if (options.help) {
  console.log(`node test/model/run.ts [--quick | --all] [--only <part of a name>] [--trace] [--json]
  --quick  the short searches alone     --all    the long ones too
  --only   of all sets, those whose model and name contain this text
  --trace  print each counterexample step by step`);
} else {
  const summary = await checkAll(chosen());
  if (options.json) console.log(JSON.stringify(summary));
  process.exitCode = summary.result === 'failed' ? 1 : 0;
}

function chosen(): readonly Configuration[] {
  const { only } = options;
  if (only !== undefined) return configurations.filter(({ model, name }) => `${model} ${name}`.includes(only));
  const sets = SETS[options.all ? 'all' : options.quick ? 'quick' : 'usual'];
  return configurations.filter(({ set }) => sets.includes(set));
}

async function checkAll(list: readonly Configuration[]): Promise<Summary> {
  if (list.length === 0) {
    console.error(`no configuration's name contains "${options.only}"; node test/model/run.ts --all lists them all as it checks them`);
    return { result: 'failed', passed: 0, failed: 1, skipped: 0 };
  }
  const missing = await missingTool();
  if (missing !== undefined) {
    say(`model check skipped: install ${missing} (Debian package \`${missing}\`) to check the protocol exhaustively`);
    return { result: 'skipped', passed: 0, failed: 0, skipped: list.length };
  }
  const startedAtMs = Date.now();
  const results = await checkSideBySide(list);
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
async function checkSideBySide(list: readonly Configuration[]): Promise<Checked[]> {
  const interrupt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort());
  const waiting = [...list];
  const results: Checked[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !interrupt.signal.aborted; next = waiting.shift()) {
      const checked = await checkConfiguration(next, { signal: interrupt.signal, traced: options.trace });
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
