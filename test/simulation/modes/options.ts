import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { seedOfCommit } from './commit-seed.ts';
import { type PlannedFault, parseFaults } from './run-case.ts';

export const MODES = ['safety', 'exhaustive', 'liveness', 'corpus'] as const;
export type Mode = (typeof MODES)[number];

export interface Options {
  readonly mode: readonly Mode[];
  readonly seed?: number;
  readonly runs?: number;
  readonly jobs: number;
  readonly pairs?: boolean;
  readonly sample?: number;
  readonly class?: string;
  readonly faults?: readonly PlannedFault[];
  readonly withoutOrders?: readonly number[];
  readonly kind?: string;
  readonly payload?: unknown;
  readonly item?: Readonly<Record<string, unknown>>;
  readonly rate?: number;
  readonly skew?: boolean;
  readonly trace?: boolean;
  readonly shrink: boolean;
  readonly json?: boolean;
  readonly report?: string;
  readonly addToCorpus?: string;
  readonly broke?: string;
  readonly patience: number;
}

/** A campaign counts on from its first seed, and numbers this large do not grow by one any more. */
const LARGEST = 2 ** 48;
const whole = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) > LARGEST) throw new InvalidArgumentError(`a whole number up to ${LARGEST} is expected`);
  return Number(text);
};
const atLeastOne = (text: string): number => {
  if (whole(text) < 1) throw new InvalidArgumentError('at least 1 is expected');
  return whole(text);
};
const share = (text: string): number => {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw new InvalidArgumentError('a share between 0 and 1 is expected');
  return value;
};
const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw Object.assign(new InvalidArgumentError('JSON is expected, in single quotes for the shell'), { cause });
  }
};
const seed = (text: string): number => (text === 'commit' ? seedOfCommit() : whole(text));
const numbers = (text: string): number[] => text.split(',').map(whole);
const modes = (text: string): Mode[] =>
  text.split(',').map((name) => {
    const mode = MODES.find((one) => one === name);
    if (mode === undefined) throw new InvalidArgumentError(`a mode is one of ${MODES.join(', ')}; several are separated by commas`);
    return mode;
  });
export function createCommand(): Command {
  return new Command('npm run simulate --')
    .description('Runs the real handlers in virtual time, lets things go wrong, and watches every promise.')
    .addOption(new Option('--mode <names>', `${MODES.join(', ')}; several with commas`).argParser(modes).default(['safety'], 'safety'))
    .option('--seed <number>', 'the (first) seed, or "commit" for one that each commit has of its own', seed)
    .option('--runs <number>', 'seeds to run, one after the other (default: 1 with --seed, else 200; liveness: 1)', atLeastOne)
    .option('--jobs <number>', 'processes side by side', atLeastOne, Math.min(2, availableParallelism()))
    .option('--pairs', 'exhaustive: pairs of faults in place of single ones')
    .option('--sample <number>', 'with --pairs: so many of them, always the same', whole)
    .option('--class <name>', 'liveness: this class of faults only')
    .option('--faults <list>', 'these faults and no others, <point>:<fault> with commas, or "none"', parseFaults)
    .option('--without-orders <numbers>', 'orders that nobody places', numbers)
    .option('--kind <name>', 'safety: a job of this kind in place of customers; needs --payload')
    .option('--payload <json>', 'with --kind: the payload of the job', json)
    .option('--item <json>', 'with --kind: the business item the job works on, as it is before the job', json)
    .option('--rate <share>', 'safety: share of the points where something goes wrong', share)
    .option('--skew', 'clocks up to five minutes wrong')
    .option('--no-skew', 'clocks that agree')
    .option('--trace', 'with one run: everything that happened')
    .option('--no-shrink', 'leaves broken runs as they are')
    .option('--json', 'one JSON document on stdout')
    .option('--report <file>', 'also writes the counts as a test report')
    .option('--add-to-corpus <about>', 'keeps this run for ever; say what went wrong')
    .option('--broke <invariant>', 'with --add-to-corpus: the promise it once broke, when it no longer does')
    .option('--patience <seconds>', 'real time one run may take', atLeastOne, 60)
    .addHelpText(
      'after',
      `
Examples:
  npm run simulate -- --runs 2000
  npm run simulate -- --seed 7 --trace
  npm run simulate -- --mode exhaustive
  npm run simulate -- --mode exhaustive --pairs --sample 500
  npm run simulate -- --kind send-receipt --payload '{"userId":"u-1",…}'
  npm run simulate -- --mode liveness --class provider:unavailable
  npm run simulate -- --seed 4711 --add-to-corpus "a late worker committed" --broke S7`,
    );
}

const WRONG_USAGE = 2;

/** Ends the process with 2 when the arguments make no sense; commander has said why. */
export const readOptions = (argv: readonly string[]): Options =>
  createCommand()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE))
    .parse(argv)
    .opts<Options>();
