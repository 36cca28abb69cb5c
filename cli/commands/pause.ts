import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import type { ControlStore } from '#shared/control/control-store.ts';
import { type Pause, pauseRow, pauseSchema, readRow } from '#shared/control/rows.ts';
import { audited } from '../audit/operator-act.ts';
import { holdsPersonalData } from '../audit/personal-data.ts';
import { controlOf } from '../aws/control.ts';
import { describePause } from '../explain/describe-pause.ts';
import { CliError, EXIT } from '../output/cli-error.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions, withSession } from '../session.ts';
import { JOB_KINDS, parseJobKind } from './job-kind.ts';

const LONGEST_REASON = 200;

export function register(program: Command): void {
  program
    .command('pause')
    .description('stop the jobs of one kind; nothing is lost and no attempt is spent')
    .argument('<kind>', `job kind: ${JOB_KINDS.join(', ')}`, parseJobKind)
    .option('--reason <text>', 'why, for whoever finds it paused', parseReason, 'no reason given')
    .addHelpText(
      'after',
      `
Jobs that are running end. \`npm run andal -- resume <kind>\` takes it back.

Exit codes: 0 paused, also when it was before; 1 failed; 2 wrong usage.

Examples:
  npm run andal -- pause capture-payment --reason maintenance
  npm run andal -- pause capture-payment --json`,
    )
    .action((kind: string, { reason }: { reason: string }, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        const [control, by] = [controlOf(session), userInfo().username];
        const paused = await audited(
          control,
          { what: 'pause', who: by, why: reason, kind },
          () => pause(control, kind, { pausedAtMs: Date.now(), by, reason }),
          ({ before }) => (before ? 'was paused before' : 'paused'),
        );
        printAnswer(session.json, paused, () => formatPaused(paused));
      }),
    );
  program
    .command('resume')
    .description('let the jobs of one kind run again')
    .argument('<kind>', `job kind: ${JOB_KINDS.join(', ')}`, parseJobKind)
    .option('--reason <text>', 'why, for whoever reads the audit', parseReason, 'no reason given')
    .addHelpText(
      'after',
      '\nExit codes: 0 resumed, or not paused at all; 1 failed; 2 wrong usage.\n\nExamples:\n  npm run andal -- resume capture-payment\n  npm run andal -- resume capture-payment --json',
    )
    .action((kind: string, { reason }: { reason: string }, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        const control = controlOf(session);
        const resumed = await audited(
          control,
          { what: 'resume', who: userInfo().username, why: reason, kind },
          () => resume(control, kind),
          ({ wasPaused }) => (wasPaused ? 'resumed' : 'was not paused'),
        );
        printAnswer(session.json, resumed, () => formatResumed(resumed));
      }),
    );
}

/** @throws CliError when it holds what nobody may keep; the sentence does not repeat it, as commander's would */
export function parseReason(text: string): string {
  if (holdsPersonalData(text))
    throw new CliError('A reason is kept in the audit: leave card numbers and e-mail addresses out of it. Nothing was done.', {
      exitCode: EXIT.usage,
    });
  if (text.trim() !== '' && text.length <= LONGEST_REASON && !/\p{Cc}/u.test(text)) return text;
  throw new InvalidArgumentError(`A reason is 1 to ${LONGEST_REASON} characters on one line.`);
}

export interface Paused {
  readonly kind: string;
  /** The pause that stands; null when its row cannot be read. */
  readonly pause: Pause | null;
  /** It was paused before, and that pause stands. */
  readonly before: boolean;
}

/** The first pause stands: since when and why is not overwritten by whoever comes second. */
export async function pause(control: ControlStore, kind: string, wanted: Pause): Promise<Paused> {
  const { accepted, row } = await control.put(pauseRow(kind), { ...wanted }, { id: 'absent' });
  return accepted ? { kind, pause: wanted, before: false } : { kind, pause: readRow(pauseSchema, row) ?? null, before: true };
}

export interface Resumed {
  readonly kind: string;
  readonly wasPaused: boolean;
  /** The pause that ended; null when there was none, or its row could not be read. */
  readonly pause: Pause | null;
}

export async function resume(control: ControlStore, kind: string): Promise<Resumed> {
  const row = await control.get(pauseRow(kind));
  if (row !== undefined) await control.delete(pauseRow(kind));
  return { kind, wasPaused: row !== undefined, pause: readRow(pauseSchema, row) ?? null };
}

export const formatPaused = ({ kind, pause, before }: Paused): string =>
  [
    before ? `${kind} was paused already, ${describePause(pause)}` : `Paused ${kind}.`,
    'Within a second its workers hand messages back without spending an attempt; what is running ends.',
    'Within a minute the governor switches its queue off.',
    `Next: npm run andal -- status   ·   resume ${kind}`,
  ].join('\n');

export const formatResumed = ({ kind, wasPaused, pause }: Resumed): string =>
  wasPaused
    ? [
        `Resumed ${kind}; it was paused ${describePause(pause)}`,
        'Within a second its workers take messages again; within a minute the governor switches its queue on, at a low concurrency that doubles each minute.',
        'Messages that were handed back return one by one, each after about as long as it had waited, 15 minutes at most.',
      ].join('\n')
    : `${kind} was not paused; nothing to resume.`;
