import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { AWS_FAULTS, PROCESS_FAULTS, PROVIDER_FAULTS, QUEUE_FAULTS, STREAM_FAULTS } from '../network/fault.ts';
import { atLeastOne, jobs, json, jsonObject, part, patience, share, whole } from './arguments.ts';
import type { Part } from './cases.ts';
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
  readonly part?: Part;
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

const seed = (text: string): number => (text === 'commit' ? seedOfCommit() : whole(text));
const FAULTS: readonly string[] = [...new Set([...AWS_FAULTS, ...PROVIDER_FAULTS, ...PROCESS_FAULTS, ...QUEUE_FAULTS, ...STREAM_FAULTS])];
const faults = (text: string): PlannedFault[] => {
  const planned = parsedFaults(text);
  const unknown = planned.find(({ fault }) => !FAULTS.includes(fault));
  if (unknown !== undefined) throw new InvalidArgumentError(`there is no fault ${unknown.fault}; there are ${FAULTS.join(', ')}`);
  refuseTwice(planned.map((one) => `point ${'at' in one ? one.at : `"${one.label}#${one.nth}"`}`));
  return planned;
};
function parsedFaults(text: string): PlannedFault[] {
  try {
    return parseFaults(text);
  } catch (cause) {
    const why = cause instanceof RangeError ? cause.message : 'write <point>:<fault>, for example 12:dropped';
    throw Object.assign(new InvalidArgumentError(why), { cause });
  }
}
const numbers = (text: string): number[] => {
  const all = text.split(',').map(whole);
  refuseTwice(all.map(String));
  return all;
};
function modes(text: string): Mode[] {
  const all = text.split(',').map((name) => {
    const mode = MODES.find((one) => one === name);
    if (mode === undefined) throw new InvalidArgumentError(`a mode is one of ${MODES.join(', ')}; several are separated by commas`);
    return mode;
  });
  refuseTwice(all);
  return all;
}
function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidArgumentError(`${twice} is named twice`);
}

/** Of an option that is given twice only the last would count, and of two that contradict each other too. */
function refuseRepeated(command: Command): void {
  const given = new Map<string, string>();
  for (const option of command.options) {
    command.on(`option:${option.name()}`, () => {
      const [flag, before] = [`--${option.name()}`, given.get(option.attributeName())];
      if (before === flag) command.error(`error: ${flag} is given twice; give it once`);
      if (before !== undefined) command.error(`error: ${before} and ${flag} contradict each other; use one of them`);
      given.set(option.attributeName(), flag);
    });
  }
}

export function createCommand(): Command {
  const command = new Command('npm run simulate --').description(
    'Runs the real handlers in virtual time, lets things go wrong, and watches every promise.',
  );
  addCampaignOptions(command);
  addRunOptions(command);
  addAnswerOptions(command);
  refuseRepeated(command);
  return command.addHelpText('after', EXAMPLES);
}

/** Which runs there are. */
const addCampaignOptions = (command: Command): Command =>
  command
    .addOption(new Option('--mode <names>', `${MODES.join(', ')}; several with commas`).argParser(modes).default(['safety'], 'safety'))
    .option('--seed <number>', 'the (first) seed, or "commit" for one that each commit has of its own', seed)
    .option('--runs <number>', 'seeds to run, one after the other (default: 1 with --seed, else 200; liveness: 1)', atLeastOne)
    .option('--jobs <number>', 'processes side by side', jobs, Math.min(2, availableParallelism()))
    .option('--pairs', 'exhaustive: pairs of faults in place of single ones')
    .option('--sample <number>', 'with --pairs: so many of them, always the same', atLeastOne)
    .option('--part <k/n>', 'exhaustive: the k-th of n parts, which together are everything', part)
    .option('--class <name>', 'liveness: this class of faults only')
    .option('--kind <name>', 'safety: a job of this kind in place of customers; needs --payload')
    .option('--payload <json>', 'with --kind: the payload of the job', json)
    .option('--item <json>', 'with --kind: the business item the job works on, as it is before the job', jsonObject);

/** What goes wrong in them. */
const addRunOptions = (command: Command): Command =>
  command
    .option('--faults <list>', 'these faults and no others, <point>:<fault> with commas, or "none"', faults)
    .option('--without-orders <numbers>', 'orders that nobody places, by their number in the run', numbers)
    .option('--rate <share>', 'safety: share of the points where something goes wrong', share)
    .option('--skew', 'clocks up to five minutes wrong')
    .option('--no-skew', 'clocks that agree')
    .option('--patience <seconds>', 'real time one run may take', patience, 60);

/** What is told of them. */
const addAnswerOptions = (command: Command): Command =>
  command
    .option('--trace', 'all that happened in the one run there is; of several, in each that is shown as broken')
    .option('--no-shrink', 'leaves broken runs as they are')
    .option('--json', 'one JSON document on stdout')
    .option('--report <file>', 'also writes the counts as a test report')
    .option('--add-to-corpus <about>', 'keeps this run for ever; say what went wrong')
    .option('--broke <invariant>', 'with --add-to-corpus: the promise it once broke, when it no longer does');

const EXAMPLES = `
Examples:
  npm run simulate -- --runs 2000
  npm run simulate -- --seed 7 --trace
  npm run simulate -- --mode exhaustive
  npm run simulate -- --mode exhaustive --pairs --sample 500
  npm run simulate -- --mode exhaustive --pairs --part 1/8
  npm run simulate -- --kind send-receipt --payload '{"userId":"u-1",…}'
  npm run simulate -- --mode liveness --class provider:unavailable
  npm run simulate -- --seed 4711 --add-to-corpus "a late worker committed" --broke S7`;

/** One run is shown by itself, with its hash. */
export const isOneRun = ({ mode, faults, class: frozen, runs, seed }: Options): boolean =>
  mode.length === 1 &&
  (runs ?? 1) === 1 &&
  (faults !== undefined ||
    (mode[0] === 'safety' && (seed !== undefined || runs === 1)) ||
    (mode[0] === 'liveness' && frozen !== undefined));

/** What the arguments say, read and not carried out. @throws CommanderError when they make no sense; commander has said why */
export const readOptions = (argv: readonly string[]): Options => createCommand().exitOverride().parse(argv).opts<Options>();
