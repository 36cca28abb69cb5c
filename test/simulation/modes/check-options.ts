import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, EXIT } from '../../../cli/output/cli-error.ts';
import { definitionOf, ownKindStory } from '../scenario/own-kind.ts';
import { frozenClassNamed } from './frozen-classes.ts';
import { isOneRun, type Mode, type Options } from './options.ts';
import { HARNESS_PROMISES } from './run-case.ts';

const refuse = (sentence: string): CliError => new CliError(sentence, { exitCode: EXIT.usage });

/**
 * Every option has an effect, or the command is not run: a campaign that silently does less than was asked for proves less than people
 * take it to prove.
 *
 * @throws CliError with the sentence to show
 */
export async function checkOptions(options: Options): Promise<void> {
  checkModes(options);
  checkOneRun(options);
  checkOwnKind(options);
  if (options.class !== undefined) checkClass(options.class, options);
  if (options.report !== undefined) checkReport(options.report);
  if (options.broke !== undefined) await checkPromise(options.broke);
}

/** Which modes listen to which option. */
const HEARD_BY: readonly (readonly [option: string, name: keyof Options, modes: readonly Mode[]])[] = [
  ['--pairs', 'pairs', ['exhaustive']],
  ['--sample', 'sample', ['exhaustive']],
  ['--part', 'part', ['exhaustive']],
  ['--class', 'class', ['liveness']],
  ['--rate', 'rate', ['safety']],
  ['--kind', 'kind', ['safety']],
  ['--without-orders', 'withoutOrders', ['safety']],
  ['--runs', 'runs', ['safety', 'liveness']],
  ['--faults', 'faults', ['safety', 'exhaustive']],
  ['--seed', 'seed', ['safety', 'exhaustive', 'liveness']],
  ['--skew and --no-skew', 'skew', ['safety', 'exhaustive', 'liveness']],
];

function checkModes(options: Options): void {
  for (const [option, name, modes] of HEARD_BY) {
    if (options[name] === undefined || options.mode.some((mode) => modes.includes(mode))) continue;
    throw refuse(`${option} means nothing to --mode ${options.mode.join(',')}; it is for ${modes.join(' and ')}.`);
  }
  if (options.sample !== undefined && options.pairs !== true) throw refuse('--sample is how many pairs to play; it needs --pairs.');
}

function checkOneRun(options: Options): void {
  const { faults, runs, rate, pairs, part, mode, addToCorpus, broke } = options;
  if (faults !== undefined) {
    if (mode.length > 1) throw refuse('--faults plans one run; name one mode, safety or exhaustive.');
    if (runs !== undefined && runs > 1) throw refuse('--faults plans one run; leave --runs out.');
    if (rate !== undefined) throw refuse('--faults are the only ones to strike; leave --rate out.');
    if (pairs === true) throw refuse('--faults plans one run, --pairs plays many; use one of them.');
    if (part !== undefined) throw refuse('--faults plans one run, which has no parts; leave --part out.');
  }
  if (broke !== undefined && addToCorpus === undefined)
    throw refuse('--broke says which promise a run once broke that is kept; it needs --add-to-corpus.');
  if (addToCorpus !== undefined && !isOneRun(options))
    throw refuse('--add-to-corpus keeps one run; name it with --seed, in liveness with --class, in exhaustive with --faults.');
}

function checkOwnKind({ kind, payload, item, mode, withoutOrders }: Options): void {
  if (kind === undefined) {
    if (payload === undefined && item === undefined) return;
    throw refuse('--payload and --item are of a job; name its --kind, too.');
  }
  if (payload === undefined) throw refuse('--kind needs the --payload of a job of that kind.');
  if (mode.length > 1) throw refuse('--kind is for --mode safety alone; the other modes play stories of their own.');
  if (withoutOrders !== undefined) throw refuse('--kind plays one job and no orders; leave --without-orders out.');
  const definition = inWords(() => definitionOf(kind));
  inWords(() => ownKindStory({ kind, payload }));
  if (item !== undefined && definition.item === undefined) throw refuse(`${kind} has items of its own; leave --item out.`);
}

function checkClass(name: string, { skew }: Options): void {
  const { clockAheadMs } = inWords(() => frozenClassNamed(name));
  if (clockAheadMs !== undefined && skew !== undefined) throw refuse(`${name} is about clocks; leave --skew and --no-skew out.`);
}

function checkReport(file: string): void {
  const kindOf = (path: string): 'directory' | 'file' | undefined => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isDirectory() === true ? 'directory' : found && 'file';
  };
  if (kindOf(dirname(file)) !== 'directory')
    throw refuse(`--report cannot be written: there is no directory ${dirname(file)}. Make it first.`);
  if (kindOf(file) === 'directory') throw refuse(`--report cannot be written: ${file} is a directory. Name a file in it.`);
}

/** Loaded when it is needed: a whole pipeline comes with it. */
async function checkPromise(id: string): Promise<void> {
  const { invariants } = await import('../invariants/index.ts');
  const known = [...invariants.map((one) => one.id), 'progress', ...Object.keys(HARNESS_PROMISES)];
  if (!known.includes(id)) throw refuse(`There is no promise ${id}; there are ${known.join(', ')}.`);
}

/** What the simulator refuses in words of its own is wrong usage here. */
function inWords<Given>(act: () => Given): Given {
  try {
    return act();
  } catch (error) {
    if (error instanceof RangeError) throw refuse(`${error.message[0]?.toUpperCase()}${error.message.slice(1)}.`);
    throw error;
  }
}
