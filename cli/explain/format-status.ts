import { isEmpty } from '../aws/queues.ts';
import { formatDuration } from '../dead-letters/duration.ts';
import { bad, doubtful, good, quiet, strong } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import { TROUBLE_WORDS, type Trouble } from './attention.ts';
import { describeLoadControl } from './load-control.ts';
import type { Status } from './status.ts';
import type { Waiting } from './waiting.ts';

export function formatStatus(status: Status): string {
  const { stage, queues, orders } = status;
  const queueRows = queues.map(({ name, missing, waiting, inFlight, delayed, deadLetters, oldestLetterAtMs }) => [
    missing ? `${name} ${bad('(missing)')}` : name,
    busyCount(waiting),
    busyCount(inFlight),
    busyCount(delayed),
    deadLetters === 0 ? quiet('0') : bad(deadLetters),
    oldestLetterAtMs === null ? '' : formatDuration(status.atMs - oldestLetterAtMs),
  ]);
  const orderRows = Object.entries(orders.byState)
    .sort()
    .map(([state, count]) => [state, count]);
  return [
    strong(`Stage ${stage}`),
    '',
    formatTable(['Queue', 'Waiting', 'In flight', 'Delayed', 'Dead letters', 'Oldest seen'], queueRows),
    '',
    orders.total === 0
      ? 'No orders yet: create one with `npm run andal -- orders create u-1`.'
      : formatTable(['Orders', 'Count'], orderRows),
    ...(orders.truncated ? [quiet(`(counted over the first ${orders.total} orders; there are more)`)] : []),
    '',
    ...describeWaiting(status),
    ...describeLoadControl(status.heldBack).map(doubtful),
    ...queues.flatMap(({ name, missing }) =>
      missing ? [bad(`A queue of ${name} is not there: deploy the stage again with \`npm run andal -- deploy --stage ${stage}\`.`)] : [],
    ),
    ...conclusion(status),
  ].join('\n');
}

/** One sentence for each that there is, and the rate limits always. */
function describeWaiting({ atMs, lag, unknownOutcomes, outboxOverdue, rateLimits }: Status): string[] {
  const since = ({ oldestAtMs }: Waiting): string => formatDuration(atMs - (oldestAtMs ?? atMs));
  return [
    ...(lag.count === 0
      ? []
      : [doubtful(`Lag: ${lag.count} ${lag.count === 1 ? 'order has' : 'orders have'} not ended, the oldest for ${since(lag)}.`)]),
    ...(unknownOutcomes.count === 0
      ? []
      : [
          doubtful(
            `Unknown outcomes: ${unknownOutcomes.count}, the oldest for ${since(unknownOutcomes)}; the provider is asked until it answers.`,
          ),
        ]),
    ...(outboxOverdue.count === 0
      ? []
      : [
          bad(
            `Outbox overdue: ${outboxOverdue.count} ${outboxOverdue.count === 1 ? 'job' : 'jobs'} never reached the queue, the oldest for ${since(outboxOverdue)}.`,
          ),
        ]),
    ...rateLimits.map(({ dependency, callsPerSecond, bookedAheadMs }) =>
      quiet(`Rate limit: ${dependency} ${callsPerSecond} calls/s, ${bookedAheadMs === 0 ? 'free' : `booked ${bookedAheadMs} ms ahead`}.`),
    ),
  ];
}

const busyCount = (count: number): string => (count === 0 ? quiet('0') : doubtful(count));

const SENTENCES: Readonly<Record<Trouble, string>> = {
  discarded: 'Given up, for a person to decide',
  overdue: 'Should have run again by now',
  'no-message': 'Waiting, and no queue holds a message',
  retrying: 'Failed and will run again',
};
const NAMED = 5;

function conclusion(status: Status): string[] {
  const letters = status.queues.filter(({ deadLetters }) => deadLetters > 0).map(({ name }) => name);
  const lines = [...(letters.length > 0 ? [bad(`Dead letters wait in: ${letters.join(', ')}.`)] : []), ...troubles(status)];
  if (lines.length > 0) return lines;
  if (status.done) return [good('All work is done.')];
  const { held, waiting, total } = status.orders;
  const isQuiet = status.queues.every(isEmpty) && held + waiting === 0;
  return [isQuiet ? `Nothing is left to do for the first ${total} orders.` : 'Work is under way.'];
}

function troubles({ attention: { counts, first } }: Status): string[] {
  const sentences = (Object.keys(SENTENCES) as Trouble[])
    .filter((trouble) => counts[trouble] > 0)
    .map((trouble) => (trouble === 'retrying' ? doubtful : bad)(`${SENTENCES[trouble]}: ${counts[trouble]}.`));
  if (first.length === 0) return sentences;
  const rows = first.slice(0, NAMED).map(({ name, trouble, detail }) => [name, TROUBLE_WORDS[trouble], detail]);
  const orders = [...new Set(first.slice(0, NAMED).flatMap(({ order }) => order ?? []))];
  return [
    ...sentences,
    '',
    formatTable(['Needs a look', 'Why', 'What is known'], rows),
    '',
    'Look at what happened with:',
    ...orders.map((name) => `  npm run andal -- explain ${name}`),
  ];
}
