import { join } from 'node:path';
import { printAnswer, printNote } from '../../../cli/output/print.ts';
import { ownKindStory } from '../scenario/own-kind.ts';
import { type Breakage, breakagesIn, type Campaign, playCampaign } from './campaign.ts';
import { type Cases, corpusCases, exhaustiveCases, livenessCases, safetyCases } from './cases.ts';
import { addToCorpus } from './corpus.ts';
import { type Mode, type Options, readOptions } from './options.ts';
import { createPool, type Pool } from './pool.ts';
import { createProgress } from './progress.ts';
import { ENOUGH_RUNS, type Failure, hasFailed, type Verdict, verdictDocument, verdictText } from './report.ts';
import { commandOf, type Play, type Played, type RunCase, runCaseSchema } from './run-case.ts';
import { shrink } from './shrink.ts';
import { writeTestReport } from './test-report.ts';

const ENTRY = join(import.meta.dirname, '..', 'simulate.ts');
const FIRST_SEED = 1;
const RUNS = 200;

/** One campaign from its arguments to its exit code. */
export async function simulate(argv: readonly string[]): Promise<void> {
  let pool: Pool | undefined;
  try {
    const options = readOptions(argv);
    pool = createPool({ entry: ENTRY, jobs: Math.max(1, options.jobs), patienceMs: options.patience * 1000 });
    const verdict = await judge(options, pool);
    printAnswer(options.json ?? false, verdictDocument(verdict), () => verdictText(verdict));
    if (options.report !== undefined) report(options.report, verdict);
    if (options.addToCorpus !== undefined) keep(options.addToCorpus, verdict, options);
    process.exitCode = hasFailed(verdict) ? 1 : 0;
  } catch (error) {
    printNote(error instanceof RangeError ? error.message : String(error instanceof Error ? error.stack : error));
    process.exitCode = 2;
  } finally {
    pool?.close();
  }
}

async function judge(given: Options, { play, jobs }: Pool): Promise<Verdict> {
  const startedMs = Date.now();
  const title = titleOf(given);
  const isSingle = isOneRun(given);
  const progress = isSingle ? undefined : createProgress(title, expectedRuns(given));
  const wanting: Play = (runCase) => play(runCase, { trace: isSingle && given.trace === true });
  const campaign = await playCampaign(casesOf(given, play), { play: wanting, jobs }, (so) => {
    if (so.last !== undefined && so.last.broken.length > 0) progress?.tell(brokenLine(so.last));
    progress?.show(so.runs, so.failures.length);
  });
  const tookMs = Date.now() - startedMs;
  progress?.stop(`${title}: ${campaign.runs} runs, ${campaign.failures.length} broken`);
  return {
    title,
    campaign,
    failures: await explain(campaign, given, play),
    missing: given.mode.includes('safety') && given.kind === undefined ? campaign.coverage.missing() : [],
    isLargeEnough: given.mode.includes('safety') && runsOf(given) >= ENOUGH_RUNS,
    tookMs,
    showsTrace: given.trace === true,
  };
}

/** One run is shown by itself, with its hash. */
const isOneRun = ({ mode, faults, class: frozen, runs = 1, seed }: Options): boolean =>
  mode.length === 1 &&
  runs === 1 &&
  (faults !== undefined || (mode[0] === 'safety' && seed !== undefined) || (mode[0] === 'liveness' && frozen !== undefined));

const runsOf = ({ runs, seed }: Options): number => runs ?? (seed === undefined ? RUNS : 1);

function titleOf(given: Options): string {
  const seeds = given.mode.includes('safety') ? ` from seed ${given.seed ?? FIRST_SEED}` : '';
  return `${given.mode.join(' and ')}${given.pairs === true ? ' (pairs)' : ''}${seeds}`;
}

const expectedRuns = (given: Options): number | undefined =>
  given.mode.length === 1 && given.mode[0] === 'safety' ? runsOf(given) : undefined;

async function* casesOf(given: Options, play: Play): Cases {
  for (const mode of given.mode) yield* casesOfMode(mode, given, play);
}

function casesOfMode(mode: Mode, given: Options, play: Play): Cases {
  const { faults, withoutOrders, rate, skew, sample } = given;
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
      });
    case 'liveness':
      return livenessCases({ from, runs: given.runs ?? 1 }, given.class, skew === undefined ? {} : { skew });
    case 'corpus':
      return corpusCases();
  }
}

/** @throws RangeError when the flags do not name a job */
function ownOf({ kind, payload, item, mode }: Options): RunCase['own'] {
  if (kind === undefined && payload === undefined && item === undefined) return undefined;
  if (!mode.every((one) => one === 'safety'))
    throw new RangeError('--kind is for --mode safety; the other modes play stories of their own');
  if (kind === undefined || payload === undefined)
    throw new RangeError('--kind and --payload belong together, with --item where the kind works on a business item');
  const own = runCaseSchema.shape.own.parse({ kind, payload, ...(item === undefined ? {} : { item }) });
  // Refused here, in words, and not by every run.
  ownKindStory({ kind, payload, ...(item === undefined ? {} : { item }) });
  return own;
}

async function* one(runCase: RunCase): Cases {
  yield runCase;
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
  const { campaign, missing, isLargeEnough } = verdict;
  const failed = campaign.failures.length + (isLargeEnough ? missing.length : 0);
  writeTestReport(file, { passed: campaign.runs - campaign.failures.length, failed });
}

function keep(about: string, { campaign, failures }: Verdict, { broke }: Options): void {
  const invariant = broke ?? failures[0]?.promises[0]?.invariant;
  if (campaign.last === undefined || campaign.runs !== 1) throw new RangeError('--add-to-corpus keeps one run: name it with --seed');
  if (invariant === undefined) throw new RangeError('this run breaks no promise; say with --broke which one it once broke');
  printNote(`kept as ${addToCorpus({ about, invariant, runCase: campaign.last.runCase })}`);
}
