import { type Command, InvalidArgumentError, Option } from 'commander';
import { QUEUE_NAMES } from '../../aws/queue-list.ts';
import { parseDuration } from '../../dead-letters/duration.ts';
import type { LetterFilter } from '../../dead-letters/letter-filter.ts';
import { CliError, EXIT } from '../../output/cli-error.ts';
import { parseKey } from '../audit.ts';

/** What commander makes of the options below. */
export interface FilterOptions {
  readonly kind?: string;
  readonly fingerprint?: string;
  readonly cause?: string;
  readonly olderThan?: number;
  readonly newerThan?: number;
  readonly key?: string;
}

export const withFilterOptions = (command: Command): Command =>
  command
    .addOption(new Option('--kind <name>', 'letters of one queue').choices(QUEUE_NAMES))
    .option('--fingerprint <hex>', 'letters of one group, as `dlq list` names it; its beginning is enough', parseFingerprint)
    .option('--cause <code>', 'letters that are there for this reason, for example attempts-spent', parseCause)
    .option('--older-than <duration>', 'sent longer ago than 90s, 15m, 2h, 3d', parseDuration)
    .option('--newer-than <duration>', 'sent no longer ago than that', parseDuration)
    .option('--key <key>', 'letters of one idempotency key, or of every job of an order: <userId>/<orderId>', parseKey);

/** @throws CliError when no letter could be meant */
export function filterOf(options: FilterOptions, id?: string): LetterFilter {
  const { olderThan, newerThan } = options;
  if (olderThan !== undefined && newerThan !== undefined && olderThan >= newerThan)
    throw new CliError('No letter is older than --older-than and newer than --newer-than: the first has to be the shorter time.', {
      exitCode: EXIT.usage,
    });
  return {
    id,
    kind: options.kind,
    fingerprint: options.fingerprint,
    cause: options.cause,
    olderThanMs: options.olderThan,
    newerThanMs: options.newerThan,
    key: options.key,
  };
}

function parseFingerprint(text: string): string {
  if (/^[0-9a-f]{4,12}$/.test(text)) return text;
  throw new InvalidArgumentError('A fingerprint is 12 hexadecimal digits, or at least the first 4 of them; `dlq list` shows them.');
}

function parseCause(text: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text)) return text;
  throw new InvalidArgumentError('A cause is a code of small letters and hyphens, for example attempts-spent; `dlq list` shows them.');
}

/** Message ids are UUIDs; whoever names the beginning of one means the only letter that begins so. */
export function parseLetterId(text: string): string {
  if (/^[A-Za-z0-9-]{1,100}$/.test(text)) return text;
  throw new InvalidArgumentError('A letter is named by its message id, or by the beginning of it; `dlq inspect` shows them.');
}
