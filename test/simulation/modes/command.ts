import { join } from 'node:path';
import { CliError, EXIT } from '../../../cli/output/cli-error.ts';
import { printAnswer, printNote } from '../../../cli/output/print.ts';
import { runProgram } from '../../../cli/run-program.ts';
import { type Breakage, breakagesIn, type Campaign, playCampaign } from './campaign.ts';
import { type Cases, corpusCases, exhaustiveCases, livenessCases, safetyCases } from './cases.ts';
import { checkOptions } from './check-options.ts';
import { addToCorpus } from './corpus.ts';
import { createCommand, isOneRun, type Mode, type Options } from './options.ts';
import { createPool, type Pool } from './pool.ts';
import { createProgress } from './progress.ts';
import { ENOUGH_RUNS, type Failure, hasFailed, type Verdict, verdictDocument, verdictText } from './report.ts';
import { commandOf, type Play, type Played, type RunCase, runCaseSchema } from './run-case.ts';
import { shrink } from './shrink.ts';
import { writeTestReport } from './test-report.ts';
import { countTried } from './tried.ts';
import { createPlans, unprovedBy } from './unproved.ts';

const ENTRY = join(import.meta.dirname, '..', 'simulate.ts');
const FIRST_SEED = 1;
const RUNS = 200;

/** One campaign from its arguments to its exit code. */
export const simulate = (argv: readonly string[]): Promise<void> => runProgram(createCommand().action(carryOut), argv);

async function carryOut(options: Options): Promise<void> {
  await checkOptions(options);
  const pool = createPool({ entry: ENTRY, jobs: options.jobs, patienceMs: options.patience * 1000 });
  try {
    const verdict = await judge(options, pool);
    printAnswer(options.json ?? false, verdictDocument(verdict), () => verdictText(verdict));
    if (options.report !== undefined) report(options.report, verdict);
    if (options.addToCorpus !== undefined) keep(options.addToCorpus, verdict, options);
    process.exitCode = hasFailed(verdict) ? 1 : 0;
  } finally {
    pool.close();
  }
}

async function judge(given: Options, { play, jobs }: Pool): Promise<Verdict> {
  const startedMs = Date.now();
  const title = titleOf(given);
  const isSingle = isOneRun(given);
  const progress = isSingle ? undefined : createProgress(title, expectedRuns(given));
  const wanting: Play = (runCase) => play(runCase, { trace: isSingle && given.trace === true, points: given.faults !== undefined });
  const [plans, tried] = [createPlans(), countTried(given)];
  const campaign = await playCampaign(casesOf(given, play), { play: wanting, jobs }, (so) => {
    if (so.last === undefined) return;
    plans.add(so.last);
    tried.add(so.last);
    if (so.last.broken.length > 0) progress?.tell(brokenLine(so.last));
    progress?.show(so.runs, so.failures.length);
  });
  const tookMs = Date.now() - startedMs;
  progress?.stop(`${title}: ${campaign.runs} runs, ${campaign.failures.length} broken`);
  return {
    title,
    campaign,
    failures: await explain(campaign, given, play),
    ...completeness(given, campaign),
    unproved: unprovedBy(given, campaign, { plans, tried: tried.counts }),
    tried: tried.counts,
    tookMs,
    showsTrace: given.trace === true,
  };
}

const runsOf = ({ runs, seed }: Options): number => runs ?? (seed === undefined ? RUNS : 1);

function titleOf(given: Options): string {
  const seeds = given.mode.includes('safety') ? ` from seed ${given.seed ?? FIRST_SEED}` : '';
  const part = given.part === undefined ? '' : `, part ${given.part.number} of ${given.part.of}`;
  return `${given.mode.join(' and ')}${given.pairs === true ? ' (pairs)' : ''}${part}${seeds}`;
}

const expectedRuns = (given: Options): number | undefined =>
  given.mode.length === 1 && given.mode[0] === 'safety' ? runsOf(given) : undefined;

async function* casesOf(given: Options, play: Play): Cases {
  for (const mode of given.mode) yield* casesOfMode(mode, given, play);
}

function casesOfMode(mode: Mode, given: Options, play: Play): Cases {
  const { faults, withoutOrders, rate, skew, sample, part } = given;
  const own = ownOf(given);
  const from = given.seed ?? FIRST_SEED;
  const changed = {
    ...(rate === undefined ? {} : { rate }),
    ...(skew === undefined ? {} : { skew }),
    ...(withoutOrders === undefined ? {} : { withoutOrders }),
    ...(own === undefined ? {} : { own }),
  };
  if (faults !== undefined && mode !== 'corpus') return one({ mode, seed: from, faults, ...changed });
  switch (mode) {
    case 'safety':
      return safetyCases({ from, runs: runsOf(given) }, changed);
    case 'exhaustive':
      return exhaustiveCases(play, from, {
        ...(given.pairs === true ? { pairs: sample === undefined ? {} : { sample } } : {}),
        ...(skew === undefined ? {} : { skew }),
        ...(part === undefined ? {} : { part }),
      });
    case 'liveness':
      return livenessCases({ from, runs: given.runs ?? 1 }, given.class, skew === undefined ? {} : { skew });
    case 'corpus':
      return corpusCases();
  }
}

const ownOf = ({ kind, payload, item }: Options): RunCase['own'] =>
  kind === undefined ? undefined : runCaseSchema.shape.own.parse({ kind, payload, ...(item === undefined ? {} : { item }) });

async function* one(runCase: RunCase): Cases {
  yield runCase;
}

/** A job of one kind cannot meet what customers do. */
function completeness(given: Options, { coverage }: Campaign): Pick<Verdict, 'missing' | 'isLargeEnough'> {
  if (!given.mode.includes('safety') || given.kind !== undefined) return { missing: [], isLargeEnough: false };
  return { missing: coverage.missing(), isLargeEnough: runsOf(given) >= ENOUGH_RUNS };
}

/** The first run of each broken promise, made as small as can be, with what happened in it. */
async function explain(campaign: Campaign, given: Options, play: Play): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const { played, promises } of breakagesIn(campaign.failures)) {
    const shrunk = given.shrink && given.faults === undefined ? await shrink(played, promises[0]?.invariant ?? '', play) : undefined;
    failures.push({
      played,
      promises,
      times: timesBroken(campaign, promises),
      shrunk,
      lines: await traceOf(shrunk?.played ?? played, play),
    });
  }
  return failures;
}

const brokenLine = ({ broken, runCase }: Played): string =>
  `${broken.map(({ invariant }) => invariant).join(', ')} broken by ${commandOf(runCase)}`;

const timesBroken = ({ failures }: Campaign, [first]: Breakage['promises']): number =>
  failures.filter(({ broken }) => broken.some(({ invariant }) => invariant === first?.invariant)).length;

/** A run without a verdict has no trace to show. */
async function traceOf({ runCase, hash }: Played, play: Play): Promise<readonly string[]> {
  return hash === '' ? [] : ((await play(runCase, { trace: true })).lines ?? []);
}

function report(file: string, verdict: Verdict): void {
  const { campaign, missing, isLargeEnough, unproved } = verdict;
  const failed = campaign.failures.length + unproved.length + (isLargeEnough ? missing.length : 0);
  writeTestReport(file, { passed: campaign.runs - campaign.failures.length, failed });
}

function keep(about: string, { campaign, failures, unproved }: Verdict, { broke }: Options): void {
  const invariant = broke ?? failures[0]?.promises[0]?.invariant;
  if (campaign.last === undefined) return;
  if (unproved.length > 0) return printNote('not kept: it would prove as little each time');
  if (invariant === undefined)
    throw new CliError('This run breaks no promise; say with --broke which one it once broke.', { exitCode: EXIT.usage });
  printNote(`kept as ${addToCorpus({ about, invariant, runCase: campaign.last.runCase })}`);
}
