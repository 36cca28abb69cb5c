import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ControlStore } from '#shared/control/control-store.ts';
import { ACTS, AUDIT_KEPT_DAYS, type AuditEntry, readAudit } from '#shared/dead-letter/audit.ts';
import { type AuditFilter, isMeant } from '../audit/audit-filter.ts';
import { daysBetween } from '../audit/days.ts';
import { streamAudit } from '../audit/stream-audit.ts';
import { controlOf } from '../aws/control.ts';
import { CliError, EXIT } from '../output/cli-error.ts';
import { printNote } from '../output/print.ts';
import { globalOptions, withSession } from '../session.ts';
import { durationWithin } from './durations.ts';

interface AuditOptions {
  readonly day?: string;
  readonly since?: number;
  readonly what?: string;
  readonly key?: string;
}

const DAY_MS = 86_400_000;

export function register(program: Command): void {
  program
    .command('audit')
    .description('who did what to which job or letter, when, why, and how it ended; today (UTC) where nothing else is said')
    .option('--day <yyyy-mm-dd>', 'what was begun on a day (UTC)', parseDay)
    .option('--since <duration>', 'what was begun since, for example 3d', parseSince)
    .addOption(new Option('--what <act>', 'acts of one sort').choices(ACTS))
    .option('--key <key>', 'acts on one idempotency key, or on every job of an order: <userId>/<orderId>', parseKey)
    .addHelpText(
      'after',
      `
An entry is written before its act, and its outcome after it. One without an outcome says only that nobody saw its end: look at the item.
Entries are kept ${AUDIT_KEPT_DAYS} days, and shown as they are read.

Exit codes: 0 shown, 1 failed, 2 wrong usage, 3 no entry matches.

Examples:
  npm run andal -- audit
  npm run andal -- audit --since 3d --what replay
  npm run andal -- audit --key u-17/ORDERID --since 30d
  npm run andal -- audit --day 2026-11-30 --json`,
    )
    .action(async (options: AuditOptions, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        const { days, filter } = rangeOf(options, Date.now());
        const count = await streamAudit(entriesOf(controlOf(session), days, filter), session.json);
        if (count > 0) return;
        if (!session.json) printNote('No entry matches. `npm run andal -- audit --since 30d` looks further back.');
        process.exitCode = EXIT.nothingFound;
      }),
    );
}

/** @throws CliError when two times are named */
export function rangeOf({ day, since, what, key }: AuditOptions, nowMs: number): { days: readonly string[]; filter: AuditFilter } {
  if (day !== undefined && since !== undefined)
    throw new CliError('Name a day or a duration: `npm run andal -- audit --day 2026-11-30`, or --since 3d.', { exitCode: EXIT.usage });
  if (day !== undefined) return { days: [day], filter: { what, key, fromMs: 0 } };
  if (since === undefined) return { days: daysBetween(nowMs, nowMs), filter: { what, key, fromMs: 0 } };
  // A run that began the day before may have gone on into the range; its entries lie under the day it began.
  return { days: daysBetween(nowMs - since - DAY_MS, nowMs), filter: { what, key, fromMs: nowMs - since } };
}

export async function* entriesOf(control: ControlStore, days: readonly string[], filter: AuditFilter): AsyncGenerator<AuditEntry> {
  for (const day of days) for await (const entry of readAudit(control, day)) if (isMeant(entry, filter)) yield entry;
}

function parseDay(text: string): string {
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse takes 31 February for a day in March.
  if (!Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text)) return text;
  throw new InvalidArgumentError('A day is written yyyy-mm-dd, for example 2026-11-30.');
}

const parseSince = durationWithin(`Since is a duration of at most ${AUDIT_KEPT_DAYS} days, for example 3d.`, {
  minMs: 1_000,
  maxMs: AUDIT_KEPT_DAYS * DAY_MS,
});

export function parseKey(text: string): string {
  if (/^[\x21-\x7e]{1,128}$/.test(text)) return text;
  throw new InvalidArgumentError('A key is 1 to 128 printable ASCII characters without spaces, or <userId>/<orderId>.');
}
