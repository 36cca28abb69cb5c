import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { audited } from '../audit/operator-act.ts';
import { controlOf } from '../aws/control.ts';
import { invokeAndWait } from '../aws/invoke.ts';
import { EXIT } from '../output/cli-error.ts';
import { printAnswer } from '../output/print.ts';
import { runSteps, step } from '../output/steps.ts';
import { globalOptions, type Session, withSession } from '../session.ts';
import { formatSweep, type SweepReport, TROUBLES } from '../sweep/format-sweep.ts';
import { findLost } from '../sweep/lost.ts';
import { listOverdue, type OverdueItem, type OverdueList } from '../sweep/overdue.ts';
import { rescueWorldOf } from '../sweep/rescue-world.ts';
import { addUp, linesSince } from '../sweep/run-logs.ts';
import { walkTable } from '../sweep/walk.ts';

interface SweepOptions {
  readonly dryRun?: boolean;
  readonly wholeTable?: boolean;
}

/** A little more than the functions' own limits. */
const RESCUE_WITHIN_MS = 60_000;
const WALK_WITHIN_MS = 300_000;
const FIRST = 100;

export function register(program: Command): void {
  program
    .command('sweep')
    .description('run the rescue now: jobs that should have run again, and queues that were forgotten; it runs each minute by itself')
    .option('--dry-run', 'list what is overdue and do nothing')
    .option('--whole-table', 'also walk all items from the start for jobs whose messages are lost; that runs once a day by itself')
    .addHelpText(
      'after',
      `
The deployed functions do the work, at their own pace; this command calls them and reads what they say. Running it twice does no harm.
The walk reads the whole table, and takes what nothing has happened to for half an hour.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 something could not be sent, opened or read.

Examples:
  npm run andal -- sweep --dry-run
  npm run andal -- sweep
  npm run andal -- sweep --whole-table
  npm run andal -- sweep --dry-run --whole-table --json`,
    )
    .action(async (options: SweepOptions, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        const report = await sweep(session, options);
        printAnswer(session.json, report, () => formatSweep(report, Date.now()));
        process.exitCode = exitCodeOf(report);
      }),
    );
}

async function sweep(session: Session, { dryRun = false, wholeTable = false }: SweepOptions): Promise<SweepReport> {
  const world = await rescueWorldOf(session);
  const found = { stage: session.target.stage, dryRun, overdue: overview(await listOverdue(world)) };
  const nothingRan = { rescued: null, mappings: [], swept: null, walked: false };
  if (dryRun) return { ...found, ...nothingRan, lost: wholeTable ? await findLost(world) : null };
  const act = { what: 'sweep' as const, who: userInfo().username, why: wholeTable ? 'overdue jobs and the whole table' : 'overdue jobs' };
  const run = async () => ({ ...(await runRescue(session)), swept: wholeTable ? await runWalk(session, world.segments) : null });
  const ran = await audited(
    controlOf(session),
    act,
    run,
    ({ rescued, swept }) => told('rescued', rescued) + told(', walked', wholeTable ? swept : {}),
  );
  return { ...found, ...ran, lost: null, walked: wholeTable };
}

/** Counts as one phrase of an outcome; empty for a part that did not run. */
const told = (what: string, counts: Readonly<Record<string, number>> | null): string => {
  if (counts === null) return `${what}: not known`;
  const parts = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${name} ${count}`]));
  return parts.length === 0 && what.startsWith(',') ? '' : `${what}: ${parts.join(', ') || 'nothing'}`;
};

function overview({ items, more }: OverdueList): SweepReport['overdue'] {
  const byOutlook: Partial<Record<OverdueItem['outlook'], number>> = {};
  for (const { outlook } of items) byOutlook[outlook] = (byOutlook[outlook] ?? 0) + 1;
  return { total: items.length, more, byOutlook, first: items.slice(0, FIRST) };
}

async function runRescue(session: Session): Promise<Pick<SweepReport, 'rescued' | 'mappings'>> {
  const sinceMs = Date.now();
  const act = async (): Promise<string> => {
    await invokeAndWait(session.clients.lambda, session.output(STACK_OUTPUTS.rescueJobsFunction), RESCUE_WITHIN_MS);
    return 'Rescue';
  };
  await runSteps([step('Rescue', act)], { json: session.json });
  const lines = await linesSince(session, 'rescued', sinceMs);
  if (lines.length === 0) return { rescued: null, mappings: [] };
  const mappings = lines.flatMap((line) => (Array.isArray(line['mappings']) ? line['mappings'].map(String) : []));
  return { rescued: addUp(lines.map((line) => line['items'])), mappings };
}

async function runWalk(session: Session, segments: number): Promise<SweepReport['swept']> {
  const sinceMs = Date.now();
  const run = (): Promise<void> => invokeAndWait(session.clients.lambda, session.output(STACK_OUTPUTS.sweepStateFunction), WALK_WITHIN_MS);
  const act = async (onProgress: (line: string) => void): Promise<string> => {
    const tell = (done: number): void => onProgress(`${done} of ${segments} parts`);
    await walkTable({ control: controlOf(session), segments, nowMs: () => Date.now(), run, onProgress: tell });
    return 'Walk over the whole table';
  };
  await runSteps([step('Walk over the whole table', act)], { json: session.json });
  const lines = await linesSince(session, 'swept', sinceMs);
  return lines.length === 0 ? null : addUp(lines.map(countsOf));
}

/** Beside its counts the line carries what every log line does. */
const WALK_COUNTS = ['looked', 'sent', 'refused', 'heldBack', 'attemptsOpened', 'unreadable'];
const countsOf = (line: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(WALK_COUNTS.map((name) => [name, line[name]]));

const exitCodeOf = ({ rescued, swept, lost }: SweepReport): number =>
  [rescued, swept].some((counts) => TROUBLES.some((trouble) => (counts?.[trouble] ?? 0) > 0)) || (lost?.unreadable ?? 0) > 0
    ? EXIT.partlyDone
    : EXIT.ok;
