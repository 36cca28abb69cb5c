import { QUEUE_RETENTION_DAYS } from '#shared/contract/limits.ts';
import { letters } from '../output/counted.ts';
import { bad, doubtful, good, quiet } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import type { DrainReport, KindDrain, Standing } from './report.ts';

const HEAD = ['Kind', 'Version', 'Age', 'Letters', 'Parked', 'Outboxes', 'Stored jobs'];

export function formatDrainReport(report: DrainReport): string {
  const rows = report.kinds.flatMap(({ kind, versions }) =>
    versions.map(({ version, age, letters, parkedLetters, outboxes, storedJobs }) => [
      kind,
      `v${version}`,
      age === 'current' ? quiet(age) : doubtful(age),
      letters,
      parkedLetters,
      outboxes,
      storedJobs,
    ]),
  );
  return [
    lookedAt(report),
    ...unseen(report),
    ...(rows.length === 0 ? ['No message was seen there.'] : ['', formatTable(HEAD, rows), '']),
    ...unreadable(report),
    ...report.unknownKinds.map(({ kind }) =>
      doubtful(`Messages of a kind this code does not know: ${kind}. Is this checkout older than what is deployed?`),
    ),
    ...report.kinds.map(sentenceOf),
    ...newer(report.kinds),
  ].join('\n');
}

function lookedAt({ itemsLooked, deadLetterQueues }: DrainReport): string {
  const seen = deadLetterQueues.reduce((sum, { seen }) => sum + seen, 0);
  return `${itemsLooked} items and ${letters(seen)} were looked at.`;
}

function unseen({ deadLetterQueues }: DrainReport): string[] {
  const missing = deadLetterQueues.filter(({ state }) => state === 'missing').map(({ name }) => name);
  const behind = deadLetterQueues.filter(({ unseen }) => unseen > 0).map(({ name, unseen }) => `about ${unseen} in ${name}`);
  return [
    ...(missing.length === 0 ? [] : [bad(`Missing: the dead-letter queue of ${missing.join(', ')}.`)]),
    ...(behind.length === 0
      ? []
      : [
          doubtful(
            `Letters that could not be seen: ${behind.join(', ')}. Somebody looks at them or a run was cut off (look again in two minutes), or more than ten stand in one FIFO group (work them off first).`,
          ),
        ]),
  ];
}

function sentenceOf(drain: KindDrain): string {
  const { kind, version, standing } = drain;
  return `${kind} v${version}: ${SENTENCES[standing](drain)}`;
}

const SENTENCES: Readonly<Record<Standing, (drain: KindDrain) => string>> = {
  'no-older-version': () => quiet('there is no older version.'),
  drained: ({ version }) =>
    good(`nothing older is left. Once no function writes an older version, its reader may go (oldestVersion: ${version}).`),
  'older-left': ({ versions }) => {
    const left = versions.filter(({ age }) => age === 'older').map(({ version }) => `v${version}`);
    return bad(`messages of ${left.join(', ')} are left. Keep the reader; replay or discard the letters, and the rest goes by itself.`);
  },
  'queue-not-empty': ({ queue, version }) =>
    doubtful(
      `not known: ${whyNotKnown(queue)}, and nobody can look into a queue without disturbing it. ` +
        `Look again when it is empty, or ${QUEUE_RETENTION_DAYS} days after the last function that wrote v${version - 1} was replaced.`,
    ),
  'letters-not-all-seen': () => doubtful('not known: not every letter was seen. Work the letters off, or look again.'),
};

function whyNotKnown(queue: KindDrain['queue']): string {
  if (queue === null) return 'its queue is missing';
  const count = queue.waiting + queue.inFlight + queue.delayed;
  return count === 0 ? 'outboxes wait to be sent again' : `its queue holds ${count}`;
}

function newer(kinds: readonly KindDrain[]): string[] {
  const found = kinds.filter(({ versions }) => versions.some(({ age }) => age === 'newer')).map(({ kind }) => kind);
  if (found.length === 0) return [];
  return [
    doubtful(
      `Newer code wrote messages of ${found.join(', ')}. They wait a day for it to come back, then they are letters with reason unsupported-version.`,
    ),
  ];
}

function unreadable({ unreadable: { letters, parkedLetters, outboxes, storedJobs } }: DrainReport): string[] {
  const count = letters + parkedLetters + outboxes + storedJobs;
  return count === 0 ? [] : [quiet(`${count} more are no messages and have no version.`)];
}
