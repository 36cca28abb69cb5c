import { DISCARDED_BY_OPERATOR } from '#shared/dead-letter/end-operation.ts';
import { formatAmount } from '../explain/amount.ts';
import { bad, doubtful, good, quiet, strong } from '../output/paint.ts';
import { formatDuration } from './duration.ts';
import { futileAdvice } from './futile.ts';
import type { Inspection } from './inspection.ts';
import type { CacheView, ItemView } from './item-view.ts';
import { MASK } from './masked-body.ts';
import type { ProviderView } from './provider-view.ts';
import { DISCARD_REFUSALS, describePlan } from './verdict.ts';

const NAME_WIDTH = 10;

/** One letter as a page: what it is, why it is here, what everybody says about its job, and what can be done. */
export function formatInspection(inspection: Inspection, nowMs: number): string {
  const { letter, why, item, provider, cache, before } = inspection;
  const rows: [string, string[]][] = [
    ['Why', whyLines(inspection)],
    ['Sent', sentLines(letter, nowMs)],
    ['Attempts', [attempts(why, item)]],
    ['Body', bodyLines(letter)],
    ['Item', item === null ? ['no job can be read from it, so nothing on any item knows of it'] : itemLines(item, nowMs)],
    ['Provider', [describeProvider(provider)]],
    ...(cache === null ? [] : [['Cache', [describeCache(cache)]] as [string, string[]]]),
    [
      'Before',
      before.length === 0
        ? ['nobody replayed or discarded it']
        : before.map(
            ({ atMs, what, messageId, who, why: because, outcome }) =>
              `${at(atMs)} ${what}${asOther(messageId, letter.messageId)} by ${who} (${because}): ${outcome ?? 'nobody saw its end'}`,
          ),
    ],
    ['Replay', replayLines(inspection)],
    ['Discard', discardLines(inspection)],
  ];
  return [
    `${strong(letter.messageId)}  ${letter.queue}  ${letter.key ?? quiet('no key')}`,
    ...rows.flatMap(([name, lines]) => lines.map((line, index) => `  ${quiet((index === 0 ? name : '').padEnd(NAME_WIDTH))}${line}`)),
  ].join('\n');
}

/** A letter that is sent again is another message. */
const asOther = (then: string | null, now: string): string => (then === null || then === now ? '' : ` (as ${then.slice(0, 8)})`);

const at = (ms: number): string => new Date(ms).toISOString();

const whyLines = ({ why, letter }: Inspection): string[] => [
  `${bad(why.reason)}${why.detail === null ? '' : `: ${why.detail}`}  ${quiet(`fingerprint ${why.fingerprint}`)}`,
  ...(why.sentence === null ? [] : [why.sentence]),
  ...(why.trace === null ? [] : [quiet(`trace ${why.trace}`)]),
  ...(letter.movedBySqs && why.reason !== 'moved-by-sqs' ? ['SQS moved it here again; the reason is an earlier one.'] : []),
];

function sentLines({ sentAtMs, ageMs, leftMs, deadSinceMs }: Inspection['letter'], nowMs: number): string[] {
  const dead = deadSinceMs === null ? 'when SQS moved it here nobody tells' : `a dead letter for ${formatDuration(nowMs - deadSinceMs)}`;
  return [
    `${at(sentAtMs)}, ${formatDuration(ageMs)} ago; ${dead}`,
    `SQS deletes it in ${leftMs < 2 * 86_400_000 ? bad(formatDuration(leftMs)) : formatDuration(leftMs)}`,
  ];
}

function attempts({ attempts: made, firstSeenAt, lastSeenAt }: Inspection['why'], item: ItemView | null): string {
  const written = made === null ? 'not written down' : `${made}`;
  const seen = firstSeenAt === null ? '' : `, first seen ${firstSeenAt}, last ${lastSeenAt}`;
  const present =
    item === null || !item.exists
      ? ''
      : `; on the item now: ${item.operation.attemptsSpent} spent, ${item.operation.mayHaveBeenSent} may have gone out`;
  return `${written}${seen}${present}`;
}

function bodyLines({ body, bodyBytes, attributes }: Inspection['letter']): string[] {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const hint = text.includes(MASK) ? quiet(`  (values are covered; --show-payload shows them)`) : '';
  return [`${bodyBytes} bytes${attributes.length === 0 ? '' : `, attributes ${attributes.join(', ')}`}`, `${text}${hint}`];
}

function itemLines({ exists, key, status, version, fence, lease, lastError, operation }: ItemView, nowMs: number): string[] {
  if (!exists) return [`none at ${key.pk} ${key.sk}`];
  const { name, standing, record, notBeforeMs } = operation;
  return [
    `${key.pk} ${key.sk}${status === null ? '' : `: ${strong(status)}`}, version ${version ?? '?'}, fence ${fence ?? '?'}${lastError === null ? '' : `, last error ${lastError}`}`,
    `${name} ${standingOf(standing, record)}${ended(standing, record)}${notBeforeMs !== null && notBeforeMs > nowMs ? `, not before ${at(notBeforeMs)}` : ''}`,
    ...(lease === null ? [] : [doubtful(`held by ${lease.owner.slice(0, 8)} for ${lease.operation} until ${at(lease.untilMs)}`)]),
  ];
}

const WORDS = { completed: 'completed', discarded: 'given up' } as const;

/** Both a worker's giving up and a person's discard are written `discarded` on the item. */
function standingOf(standing: ItemView['operation']['standing'], record: ItemView['operation']['record']): string {
  if (standing !== 'discarded') return `is ${STANDINGS[standing]}`;
  return record?.reason === DISCARDED_BY_OPERATOR ? 'was discarded by a person' : 'was given up';
}

const STANDINGS: Readonly<Record<Exclude<ItemView['operation']['standing'], 'discarded'>, string>> = {
  'no-item': 'not begun',
  'other-intent': 'about another payload',
  completed: 'completed',
  superseded: 'superseded by a later attempt',
  ahead: 'of an attempt the order has not come to yet',
  open: 'open',
};

function ended(standing: string, record: ItemView['operation']['record']): string {
  if (record === null) return '';
  const status = record.status === standing ? '' : `, ${WORDS[record.status]}`;
  const reason = record.reason === undefined || record.reason === DISCARDED_BY_OPERATOR ? '' : ` (${record.reason})`;
  return `${status}${reason} ${at(record.atMs)} after ${record.tries} ${record.tries === 1 ? 'attempt' : 'attempts'}`;
}

function describeProvider(view: ProviderView): string {
  if (!view.asked) return `not asked: ${view.why}`;
  const { answer, paymentIntentId } = view;
  switch (answer.status) {
    case 'captured':
      return `${good('captured')} ${formatAmount(answer.amountMinor, answer.currency)} for ${paymentIntentId} (${answer.captureId})`;
    case 'refunded':
      return `given back (${answer.refundId}) for ${paymentIntentId}`;
    case 'unanswered':
      return `${bad('no answer')} about ${paymentIntentId} (${answer.code})`;
    case 'not-captured':
    case 'voided':
      return `${answer.status} for ${paymentIntentId}`;
  }
}

function describeCache({ key, state, version, current }: CacheView): string {
  if (state === 'none') return `${key}: no entry; the next read loads the table`;
  if (state !== 'value') return `${key}: ${state}`;
  return `${key}: version ${version}, ${current ? good('as in the table') : bad('older than the table')}`;
}

function replayLines({ replay, letter, item }: Inspection): string[] {
  const { sentence, next } = futileAdvice(replay.futile ?? undefined) ?? describePlan(replay, item !== null);
  return [
    `${standingOfReplay(replay)} ${sentence}`,
    ...(replay.replaysSoFar === 0 ? [] : [`Brought back before: ${replay.replaysSoFar} ${replay.replaysSoFar === 1 ? 'time' : 'times'}`]),
    ...(replay.helps ? [`It goes to ${replay.to}`] : []),
    ...next(letter.messageId).split('\n'),
  ];
}

function standingOfReplay(replay: Inspection['replay']): string {
  if (replay.act === 'refuse') return bad(`refused, ${replay.code}:`);
  return replay.helps ? good('possible:') : doubtful('of no use:');
}

function discardLines({ discard, letter, replay }: Inspection): string[] {
  if (discard.act === 'discard')
    return [
      `${good('possible:')} it is archived first${letter.key === null ? '; there is no job to end.' : ', and its operation ends for good.'}`,
      `Discard it: npm run andal -- dlq discard ${letter.messageId} --reason "…"`,
    ];
  const { sentence, next } = DISCARD_REFUSALS[discard.code];
  // What is to be done instead of a replay that would be for nothing stands above.
  return [`${bad(`refused, ${discard.code}:`)} ${sentence}`, ...(replay.futile === null ? next(letter.messageId).split('\n') : [])];
}
