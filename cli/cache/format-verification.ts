import type { Mismatch, Verification } from '#shared/cache/verify.ts';
import { formatDuration } from '../dead-letters/duration.ts';
import { bad, doubtful, good, quiet } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';

export interface CacheReport extends Verification {
  readonly stage: string;
  readonly lagMs: number;
  /** Keys that were taken out of the cache; null where nobody asked for it. */
  readonly repaired: readonly string[] | null;
}

const SENTENCES: Readonly<Record<Mismatch, string>> = {
  stale: 'older than the table',
  ahead: 'not what the table says: it was put back, or changed by hand',
  unreadable: 'cannot be read or compared; readers load anew',
};
const NAMED = 20;

export function formatCacheReport({ looked, equal, noValue, caughtUp, mismatches, lagMs, repaired }: CacheReport): string {
  const lag = formatDuration(lagMs);
  const rows = mismatches
    .slice(0, NAMED)
    .map(({ key, mismatch, cachedVersion, tableVersion }) => [key, version(cachedVersion), version(tableVersion), SENTENCES[mismatch]]);
  return [
    `${looked} ${looked === 1 ? 'entry' : 'entries'} looked at: ${equal} equal to the table, ${noValue} without a value.`,
    quiet('A key without an entry is fine: its next reader loads the table.'),
    ...(caughtUp === 0 ? [] : [`${caughtUp} differed for a moment and had caught up ${lag} later.`]),
    ...(mismatches.length === 0
      ? [good(equal + caughtUp === 0 ? 'There was no value to compare.' : `No value differs from the table for ${lag} or longer.`)]
      : [
          bad(
            `${mismatches.length === 1 ? '1 value differs' : `${mismatches.length} values differ`} from the table for ${lag} or longer${mismatches.length > rows.length ? `; the first ${rows.length}` : ''}:`,
          ),
        ]),
    ...(rows.length === 0 ? [] : ['', formatTable(['Key', 'Cached', 'Table', 'What is wrong'], rows), '']),
    ...nextStep(mismatches.length, repaired),
  ].join('\n');
}

const version = (number: number | null): string => (number === null ? '–' : String(number));

function nextStep(wrong: number, repaired: CacheReport['repaired']): string[] {
  if (repaired === null) return wrong === 0 ? [] : ['Take them out of the cache: npm run andal -- cache verify --all --repair'];
  if (wrong === 0) return ['Nothing was to be repaired.'];
  const told =
    wrong === 1 && repaired.length === 1
      ? 'It was taken out of the cache; its next reader loads the table.'
      : `${repaired.length} of ${wrong} were taken out of the cache; their next readers load the table.`;
  return [repaired.length === wrong ? good(told) : doubtful(told)];
}
