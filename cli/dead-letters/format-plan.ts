import { queueName } from '../aws/queues.ts';
import { letters } from '../output/counted.ts';
import { bad, doubtful, good, strong } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import { futileAdvice } from './futile.ts';
import { describeHeldBack, type HeldBack } from './held-back.ts';
import { describeFilter, type LetterFilter } from './letter-filter.ts';
import type { Plan } from './plan.ts';
import { DISCARD_REFUSALS, REPLAY_REFUSALS } from './verdict.ts';

export type ActName = 'replay' | 'discard';

/** What would be done with which letters, and where they would go. */
export function formatPlan(
  act: ActName,
  { groups, matched, refused, beyond, missing }: Plan,
  filter: LetterFilter,
  held: readonly HeldBack[] = [],
): string {
  const rows = groups.map((group) => [
    group.act === 'refuse' ? bad(`refuse (${group.code})`) : good(group.act),
    group.count,
    group.queue,
    group.to === null ? '' : queueName(group.to),
    `${group.reason} ${group.fingerprint}`,
    group.example.key ?? group.example.messageId.slice(0, 8),
  ]);
  const codes = [...new Set(groups.flatMap(({ code }) => code ?? []))];
  return [
    strong(`${letters(matched)}: ${describeFilter(filter)}`),
    '',
    formatTable(['Would', 'Letters', 'Queue', act === 'replay' ? 'To' : '', 'Cause', 'For example'], rows),
    '',
    ...codes.map((code) => `${code}: ${sentenceOf(act, code)}`),
    ...(act === 'replay' ? futileLines(groups.filter((group) => group.act === 'replay')) : []),
    ...(missing.length === 0 ? [] : [bad(`Missing: the dead-letter queue of ${missing.join(', ')}.`)]),
    ...held.map((one) => doubtful(describeHeldBack(one))),
    `${matched - refused - beyond} would be ${PAST[act]}, ${refused} refused${beyond === 0 ? '' : `; ${beyond} more ${beyond === 1 ? 'matches' : 'match'} and would be left alone, because of --max`}.`,
  ].join('\n');
}

/** They may be replayed, and it would be for nothing. */
export const futileLines = (reasons: readonly { readonly reason: string }[]): string[] =>
  [...new Set(reasons.map(({ reason }) => reason))].flatMap((reason) => {
    const advice = futileAdvice(reason);
    return advice === undefined ? [] : [doubtful(`${reason}: ${advice.sentence}`)];
  });

export const PAST: Readonly<Record<ActName, string>> = { replay: 'replayed', discard: 'discarded' };

export function sentenceOf(act: ActName, code: string): string {
  const advice = adviceOf(act, code);
  return advice === undefined ? code : advice.sentence;
}

export const adviceOf = (act: ActName, code: string) =>
  (act === 'replay' ? REPLAY_REFUSALS : DISCARD_REFUSALS)[code as never] as (typeof REPLAY_REFUSALS)['superseded'] | undefined;
