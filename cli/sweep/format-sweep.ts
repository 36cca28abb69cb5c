import { formatDuration } from '../dead-letters/duration.ts';
import { bad, doubtful, good, quiet } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import type { LostWork } from './lost.ts';
import type { Outlook, OverdueItem } from './overdue.ts';

/** What a sweep found and, unless it was a dry run, what the deployed rescue did about it. */
export interface SweepReport {
  readonly stage: string;
  readonly dryRun: boolean;
  readonly overdue: {
    readonly total: number;
    readonly more: boolean;
    readonly byOutlook: Readonly<Partial<Record<Outlook, number>>>;
    readonly first: readonly OverdueItem[];
  };
  /** Counts as the rescue wrote them to its log; null when it did not run, or its log could not be read in time. */
  readonly rescued: Readonly<Record<string, number>> | null;
  /** Mappings that were turned on again after a governor that died. */
  readonly mappings: readonly string[];
  /** Only where the whole table was looked through without acting. */
  readonly lost: LostWork | null;
  /** Only where the whole table was walked: counts as the walk wrote them to its log; null when it could not be read in time. */
  readonly swept: Readonly<Record<string, number>> | null;
  readonly walked: boolean;
}

const SENTENCES: Readonly<Record<Outlook, string>> = {
  send: 'sent again',
  'held-back': 'held back: paused, or behind an open circuit',
  waiting: 'left alone: a worker is at it',
  'open-attempt': 'its next payment attempt is opened when it is time',
  'mark-removed': 'nothing left to do: its mark is taken away',
  unreadable: 'cannot be read: a person has to look',
  gone: 'cared for since',
};
const NAMED = 20;

export function formatSweep(report: SweepReport, nowMs: number): string {
  const { overdue, dryRun } = report;
  const rows = overdue.first
    .slice(0, NAMED)
    .map(({ name, overdueAtMs, jobs, outlook }) => [
      name,
      formatDuration(nowMs - overdueAtMs),
      jobs.join(', ') || quiet('–'),
      SENTENCES[outlook],
    ]);
  return [
    overdue.total === 0
      ? good('Nothing is overdue.')
      : `${overdue.total}${overdue.more ? ' and more' : ''} overdue${overdue.total > rows.length ? `, the first ${rows.length} of them` : ''}:`,
    ...(rows.length === 0
      ? []
      : ['', formatTable(['Item', 'Overdue for', 'Jobs', dryRun ? 'What the rescue would do' : 'What was to be done'], rows)]),
    ...(dryRun ? [] : ['', describeRun('The rescue ran', report.rescued)]),
    ...report.mappings.map((kind) => doubtful(`The queue of ${kind} had been forgotten and is consumed again.`)),
    ...(report.lost === null ? [] : ['', ...describeLost(report.lost)]),
    ...(report.walked ? [describeRun('The whole table was walked', report.swept)] : []),
    ...(dryRun ? ['', quiet('Nothing was done. Without --dry-run the rescue runs.')] : []),
  ].join('\n');
}

function describeRun(what: string, counts: Readonly<Record<string, number>> | null): string {
  if (counts === null) return `${what}; what it did could not be read from its log yet.`;
  const told = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => (TROUBLES.includes(name) ? bad : String)(`${name} ${count}`));
  return `${what}: ${told.length === 0 ? 'nothing was to be done' : told.join(', ')}.`;
}

/** Counts of what a sweep wanted to do and did not. */
export const TROUBLES: readonly string[] = ['failed', 'not-sent', 'unreadable', 'refused', 'attempt-not-opened'];

function describeLost({ looked, unreadable, jobs, first }: LostWork): string[] {
  const kinds = Object.entries(jobs).map(([kind, count]) => `${kind} ${count}`);
  return [
    kinds.length === 0
      ? good(`No job is lost; ${looked} items were looked at.`)
      : doubtful(`Called for by the state of ${looked} items and not under way for half an hour: ${kinds.join(', ')}.`),
    ...first.map((key) => `  ${key}`),
    ...(unreadable === 0 ? [] : [bad(`${unreadable} items cannot be read.`)]),
  ];
}
