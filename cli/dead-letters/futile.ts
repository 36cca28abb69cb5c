import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import type { ReplayPlan } from '#shared/dead-letter/replay-plan.ts';
import { standingOf } from '#shared/dead-letter/standing.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import type { Advice } from './verdict.ts';

const thenDrop = (id: string): string => `Then: npm run andal -- dlq discard ${id} --reason "…"`;
const onceMended = (id: string): string =>
  `Once that is mended: npm run andal -- dlq replay ${id}\nIf it will not be: npm run andal -- dlq discard ${id} --reason "…"`;

/** Reasons that a replay meets again, and what to do instead. */
const FUTILE_REASONS: Readonly<Record<string, Advice>> = {
  'captured-amount-differs': {
    sentence: 'It would find the same amount again. Settle it with the provider by hand; then the letter has had its day.',
    next: (id) => `Then: npm run andal -- dlq discard ${id} --money-is-known --reason "…"`,
  },
  'refunded-at-provider': {
    sentence: 'It would find the same again, as the money was given back at the provider. What becomes of the order a person decides.',
    next: thenDrop,
  },
  'nothing-captured-at-provider': {
    sentence: 'It would find the same again, as the provider knows of no charge. Settle the refund with the provider by hand.',
    next: thenDrop,
  },
  'attempt-not-opened': {
    sentence:
      'The order is not at its attempt, so it would come again at once. Ask for that attempt anew: its job asks the provider first.',
    next: thenDrop,
  },
  'export-part-missing': { sentence: 'It would miss the same part again. Ask for the export anew.', next: thenDrop },
  'idempotency-key-reused': {
    sentence: 'The provider knows another request under its key and would refuse it again. Settle it with the provider by hand.',
    next: thenDrop,
  },
  'provider-rejected-request': { sentence: 'The provider would refuse the same request again.', next: onceMended },
  'request-malformed': { sentence: 'The same code would make the same request of it again.', next: onceMended },
  'order-unreadable': { sentence: 'The same code would not be able to read the order again.', next: onceMended },
  malformed: { sentence: 'It comes again as long as the deployed code cannot read it.', next: onceMended },
};

/** What to do instead of a replay that would only come again; undefined where it may help. */
export const futileAdvice = (reason: string | undefined): Advice | undefined =>
  reason !== undefined && Object.hasOwn(FUTILE_REASONS, reason) ? FUTILE_REASONS[reason] : undefined;

/**
 * Why a letter that may be replayed would only come again; undefined where a replay may help.
 *
 * Does not protect against what was mended since at the provider or in the code: nobody can see that from here.
 */
export function futileReason({ why, source, job }: DeadLetter, plan: ReplayPlan, image: ItemImage | undefined): string | undefined {
  if (plan.act === 'refuse') return undefined;
  // A queue that carries no jobs is worked off by other code, whose reasons are its own.
  if (job === undefined) return source.definition === undefined ? undefined : 'malformed';
  if (standingOf(job, image).kind === 'ahead') return 'attempt-not-opened';
  const reason = why?.reason;
  const isOver = reason === 'malformed' || reason === 'attempt-not-opened';
  return isOver || futileAdvice(reason) === undefined ? undefined : reason;
}
