import { createItemStore } from '#shared/aws/item-store.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { controlOf } from '../../aws/control.ts';
import { isEmpty } from '../../aws/queues.ts';
import type { ActOn } from '../../dead-letters/acts.ts';
import { type ActName, formatPlan } from '../../dead-letters/format-plan.ts';
import { exitedWell, formatRun } from '../../dead-letters/format-run.ts';
import { futileAdvice } from '../../dead-letters/futile.ts';
import { type HeldBack, heldBack } from '../../dead-letters/held-back.ts';
import { desksOf, type LetterDesk } from '../../dead-letters/letter-desk.ts';
import { isOpenFilter, type LetterFilter } from '../../dead-letters/letter-filter.ts';
import { type Foresee, type Plan, planAct } from '../../dead-letters/plan.ts';
import { metNothing, type Run, runAct } from '../../dead-letters/run.ts';
import { sumOf } from '../../dead-letters/tally.ts';
import { CliError, EXIT, type ExitCode } from '../../output/cli-error.ts';
import { letters } from '../../output/counted.ts';
import { printAnswer } from '../../output/print.ts';
import { progressLine } from '../../output/progress-line.ts';
import { runSteps, step } from '../../output/steps.ts';
import { untilInterrupted } from '../../output/until-interrupted.ts';
import type { Session } from '../../session.ts';
import type { ActOptions } from './act-options.ts';
import { ambiguousId, isPartOfId } from './ambiguous-id.ts';
import { askBeforeBulk, canAsk, nobodyToAsk } from './ask-before-bulk.ts';
import { noLetterMatches } from './no-letter.ts';

export interface Intended {
  readonly act: ActName;
  readonly filter: LetterFilter;
  readonly options: ActOptions;
  readonly foresee: Foresee;
  /** Called once it is sure that something will be done. */
  readonly begin: () => Promise<ActOn>;
  /** Where bodies are kept, as a person is told. */
  readonly archive?: string | undefined;
}

/** Plans, asks, acts and tells: the way of every command that changes letters. */
export async function carryOut(session: Session, intended: Intended): Promise<void> {
  const { act, filter, options } = intended;
  refuseWithoutChoice(act, filter, options);
  const desks = desksOf(session, filter.kind);
  const plan = await planIfNeeded(session, desks, intended);
  if (plan !== undefined) {
    if (plan.matched === 0) throw noLetterMatches(filter, plan);
    refuseAmbiguousId(filter, plan);
  }
  if (options.dryRun === true && plan !== undefined) {
    const held = await heldBackIn(session, act, queuesOf(plan));
    const document = { stage: session.target.stage, act, dryRun: true, ...plan, heldBack: held };
    return printAnswer(session.json, document, () => formatPlan(act, plan, filter, held));
  }
  if (filter.id === undefined && options.yes !== true) await askFirst(session, desks, intended, plan);
  const run = await runWithProgress(session, desks, intended, plan);
  if (metNothing(run) && !run.interrupted) throw noLetterMatches(filter, { missing: run.missing, hidden: run.hidden });
  const held = await heldBackIn(session, act, run.doneIn);
  const { lastError: _, doneIn: __, doneFor, ...told } = run;
  const futile = act === 'replay' ? doneFor.map(({ reason }) => reason).filter((reason) => futileAdvice(reason) !== undefined) : [];
  const document = { stage: session.target.stage, act, dryRun: false, ...told, futile, heldBack: held, archive: intended.archive ?? null };
  printAnswer(session.json, document, () => formatRun(act, run, held, intended.archive));
  process.exitCode = exitCodeOf(run);
}

const queuesOf = ({ groups }: Plan): string[] => [...new Set(groups.filter((group) => group.act !== 'refuse').map(({ queue }) => queue))];

/** What keeps letters that were replayed, or would be, from being worked on. */
async function heldBackIn(session: Session, act: ActName, queues: readonly string[]): Promise<HeldBack[]> {
  if (act !== 'replay') return [];
  const held = await Promise.all(queues.map((queue) => heldBack(controlOf(session), queue)));
  return held.filter((one) => one !== undefined);
}

function exitCodeOf(run: Run): ExitCode {
  if (exitedWell(run)) return EXIT.ok;
  return run.done > 0 || run.interrupted ? EXIT.partlyDone : EXIT.failed;
}

function refuseWithoutChoice(act: ActName, filter: LetterFilter, { all = false }: ActOptions): void {
  if (isOpenFilter(filter) === all) return;
  throw new CliError(
    all
      ? `--all means every letter; leave it out, or leave out the id and the filter (see \`npm run andal -- dlq ${act} --help\`).`
      : `Say which letters: an id, a filter such as --kind or --fingerprint, or --all (see \`npm run andal -- dlq ${act} --help\`).`,
    { exitCode: EXIT.usage },
  );
}

/** Looked through beforehand only where somebody reads the plan, or the beginning of an id could mean several letters. */
async function planIfNeeded(
  session: Session,
  desks: readonly LetterDesk[],
  { act, filter, options, foresee }: Intended,
): Promise<Plan | undefined> {
  const willAsk = filter.id === undefined && options.yes !== true && canAsk(session);
  if (options.dryRun !== true && !isPartOfId(filter.id) && !willAsk) return undefined;
  const isRead = options.dryRun === true || willAsk;
  return planAct(act, desks, { filter, foresee: isRead ? foresee : async () => undefined, max: options.max });
}

function refuseAmbiguousId({ id }: LetterFilter, { matched }: Plan): void {
  if (id === undefined || matched <= 1) return;
  throw ambiguousId(id, `${matched} letters`);
}

async function askFirst(session: Session, desks: readonly LetterDesk[], { act, filter }: Intended, plan: Plan | undefined): Promise<void> {
  if (plan === undefined || !canAsk(session))
    throw (await areEmpty(desks)) ? noLetterMatches(filter, { missing: [], hidden: 0 }) : nobodyToAsk(act);
  const question = `${act === 'replay' ? 'Replay' : 'Discard'} ${letters(toBeDone(plan))}?`;
  await askBeforeBulk(formatPlan(act, plan, filter, await heldBackIn(session, act, queuesOf(plan))), question);
}

/** A missing queue is no empty one. */
async function areEmpty(desks: readonly LetterDesk[]): Promise<boolean> {
  const facts = await Promise.all(desks.map((desk) => desk.facts().catch(() => undefined)));
  return facts.every((one) => one !== undefined && isEmpty(one));
}

const toBeDone = ({ matched, refused, beyond }: Plan): number => matched - refused - beyond;

/** The bar's total is what the plan counted, or what SQS says waits when nothing narrows it down. */
async function runWithProgress(session: Session, desks: readonly LetterDesk[], intended: Intended, plan: Plan | undefined): Promise<Run> {
  const { filter, options, act, begin } = intended;
  const total = Math.min(options.max ?? Number.MAX_SAFE_INTEGER, (await totalOf(desks, filter, plan)) ?? Number.MAX_SAFE_INTEGER);
  const actOn = await begin();
  return untilInterrupted(async (signal) => {
    let run: Run | undefined;
    const startedAtMs = Date.now();
    const work = step(act === 'replay' ? 'Replaying' : 'Discarding', async (onProgress) => {
      run = await runAct(actOn, desks, {
        filter,
        ratePerSecond: options.rate,
        lanes: act === 'discard' ? DISCARD_LANES : undefined,
        max: options.max ?? (filter.id === undefined ? undefined : 1),
        canaryWithinMs: options.canary === true ? (options.canaryWait ?? CANARY_WAIT_MS) : undefined,
        store: createItemStore(session.clients.dynamoDb, session.output(STACK_OUTPUTS.stateTable)),
        heldBack: (kind) => heldBack(controlOf(session), kind),
        signal,
        onProgress: (done) =>
          onProgress(progressLine(done, total === Number.MAX_SAFE_INTEGER ? undefined : total, Date.now() - startedAtMs)),
      });
      return wentThrough(run);
    });
    await runSteps([work], { json: session.json });
    return run as Run;
  });
}

/** A step that is over has not therefore gone well; how it went is said below it. */
function wentThrough({ done, refused, failed }: Run): string {
  const met = done + sumOf(refused) + sumOf(failed);
  return met === 0 ? 'Looked for letters' : `Went through ${letters(met)}`;
}

const CANARY_WAIT_MS = 120_000;
/** Each letter is written to the archive by itself, and the provider may be asked about it. */
const DISCARD_LANES = 6;

async function totalOf(desks: readonly LetterDesk[], filter: LetterFilter, plan: Plan | undefined): Promise<number | undefined> {
  if (plan !== undefined) return toBeDone(plan);
  const { kind: _, ...narrowing } = filter;
  if (!isOpenFilter(narrowing)) return undefined;
  const facts = await Promise.all(desks.map((desk) => desk.facts().catch(() => ({ waiting: 0 }))));
  return facts.reduce((sum, { waiting }) => sum + waiting, 0);
}
