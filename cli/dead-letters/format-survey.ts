import { bad, doubtful, good, quiet, strong } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import { describeReason, shortDetail } from './cause.ts';
import { formatDuration } from './duration.ts';
import { describeFilter, type LetterFilter } from './letter-filter.ts';
import type { QueueSurvey, Survey } from './survey.ts';

/** Less than this until SQS deletes the oldest letter calls for somebody. */
const URGENT_MS = 2 * 86_400_000;

export function formatSurvey(survey: Survey, filter: LetterFilter): string {
  const rows = survey.queues.map(({ name, state, waiting, hidden, matched, oldest }) =>
    state === 'missing'
      ? [name, bad('missing'), '', '', '']
      : [
          name,
          count(survey.filtered ? matched : Math.max(matched, waiting)),
          hidden === 0 ? quiet('0') : doubtful(hidden),
          oldest === null ? '' : formatDuration(oldest.ageMs),
          oldest === null ? '' : left(oldest.leftMs),
        ],
  );
  return [
    strong(`Stage ${survey.stage}`),
    '',
    formatTable(['Queue', survey.filtered ? 'Matching' : 'Letters', 'Hidden', 'Oldest', 'Deleted in'], rows),
    ...groupLines(survey),
    '',
    ...conclusion(survey, filter),
  ].join('\n');
}

const count = (letters: number): string => (letters === 0 ? quiet('0') : bad(letters));
const left = (leftMs: number): string => (leftMs < URGENT_MS ? bad : String)(formatDuration(leftMs));

function groupLines({ queues }: Survey): string[] {
  const rows = queues.flatMap(({ name, groups }) =>
    groups.map(({ fingerprint, reason, detail, count: letters, oldest, example }) => [
      fingerprint,
      letters,
      name,
      detail === null ? reason : `${reason}: ${shortDetail(detail)}`,
      formatDuration(oldest.ageMs),
      example.key ?? example.messageId.slice(0, 8),
    ]),
  );
  return rows.length === 0 ? [] : ['', formatTable(['Fingerprint', 'Letters', 'Queue', 'Cause', 'Oldest', 'For example'], rows)];
}

function conclusion(survey: Survey, filter: LetterFilter): string[] {
  const { queues, matched } = survey;
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting + queue.hidden, 0);
  if (matched === 0) return [...remarks(queues), ...nothingFound(survey, filter, waiting)];
  const reasons = [...new Set(queues.flatMap(({ groups }) => groups.map(({ reason }) => reason)))];
  const largest = queues.flatMap(({ groups }) => groups).sort((one, other) => other.count - one.count)[0];
  return [
    ...reasons.flatMap((reason) => (describeReason(reason) === undefined ? [] : [`${quiet(`${reason}:`)} ${describeReason(reason)}`])),
    ...remarks(queues),
    '',
    ['Next: npm run andal -- dlq inspect', ...(largest === undefined ? [] : ['--fingerprint', largest.fingerprint])].join(' '),
  ];
}

/** Of a queue that is not there nothing is said but that: it may have held letters. */
function nothingFound({ queues, filtered }: Survey, filter: LetterFilter, waiting: number): string[] {
  const there = queues.filter(({ state }) => state === 'there').length;
  if (there === 0) return [];
  const where = there < queues.length ? ' in the other queues' : '';
  if (filtered) return [`No letter${where} matches: ${describeFilter(filter)}.`];
  return [waiting === 0 ? good(`No dead letters${where}.`) : `No letter${where} can be looked at now.`];
}

/** What the numbers do not say by themselves. */
function remarks(queues: readonly QueueSurvey[]): string[] {
  return queues.flatMap(({ name, state, deadLetterQueue, waiting, hidden, seen, complete }) => {
    if (state === 'missing')
      return [bad(`The dead-letter queue of ${name} (${deadLetterQueue}) does not exist any more: deploy the stage again to get it back.`)];
    return [
      ...(hidden === 0
        ? []
        : [
            doubtful(
              `${name}: ${hidden} letters are hidden by somebody who works on them, or by a run that was cut off; they come back within minutes.`,
            ),
          ]),
      ...(complete
        ? []
        : [
            doubtful(
              `${name}: ${seen} of about ${waiting} letters could be looked at; the others are received by somebody else, or lie behind these in their FIFO group.`,
            ),
          ]),
    ];
  });
}
