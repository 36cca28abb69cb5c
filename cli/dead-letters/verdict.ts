import type { DiscardRefusal } from '#shared/dead-letter/discard-letter.ts';
import type { ReplayPlan, ReplayRefusal } from '#shared/dead-letter/replay-plan.ts';

/** One plain sentence, and what a person can do about it. */
export interface Advice {
  readonly sentence: string;
  /** @param id of the letter, as a person types it */
  readonly next: (id: string) => string;
}

const drop = (id: string): string => `Drop it: npm run andal -- dlq discard ${id} --reason "…"`;
const replay = (id: string): string => `Replay it: npm run andal -- dlq replay ${id}`;
const settle = (id: string): string =>
  `Replay it, and the order says so, too, unless another amount was charged: npm run andal -- dlq replay ${id}\nIf a person has settled it: npm run andal -- dlq discard ${id} --money-is-known --reason "…"`;

/** Whatever a letter fails for that people have brought back so often is not mended. */
export const MOST_REPLAYS = 5;

export const REPLAY_REFUSALS: Readonly<Record<ReplayRefusal, Advice>> = {
  'replayed-too-often': {
    sentence: `It was brought back ${MOST_REPLAYS} times and failed each time: its cause is not mended.`,
    next: (id) => `When it is: npm run andal -- dlq replay ${id} --force`,
  },
  'unsupported-version': {
    sentence: 'Newer code wrote it, and only that code knows where its item is.',
    next: () => 'Use the tool of the deployed version.',
  },
  'already-completed': { sentence: 'Its operation is done already: nothing is left to do.', next: drop },
  superseded: { sentence: 'Its order is at a later attempt by now.', next: drop },
  'payload-mismatch': { sentence: 'Its key belongs to a job with another payload, which a replay would put in its place.', next: drop },
  'item-not-found': { sentence: 'Its order is not there; it would be back as a letter at once.', next: drop },
};

export const DISCARD_REFUSALS: Readonly<Record<DiscardRefusal, Advice>> = {
  'unsupported-version': {
    sentence: 'Newer code wrote it, and only that code can tell whether money moved.',
    next: () => 'Use the tool of the deployed version.',
  },
  'charged-at-provider': {
    sentence: "The customer's money was taken: thrown away now, nothing would be delivered for it.",
    next: settle,
  },
  'refunded-at-provider': {
    sentence: 'The money was given back at the provider, and the order does not say so yet.',
    next: settle,
  },
  'provider-unanswered': {
    sentence: 'Money may have moved, and the provider does not say.',
    next: (id) => `When the provider answers: npm run andal -- dlq discard ${id} --reason "…"`,
  },
  busy: { sentence: 'A worker has its item just now.', next: () => 'Try again in a minute.' },
};

/** What a replay would do, and why. @param isJob whether the letter can be read as one */
export function describePlan(plan: ReplayPlan, isJob: boolean): Advice {
  if (plan.act === 'refuse') return REPLAY_REFUSALS[plan.code];
  if (!isJob)
    return { sentence: 'Its message goes back to its queue as it is; unless something has changed, it comes again.', next: replay };
  if (plan.act === 'send') return { sentence: 'Its message goes back to its queue; the operation is open.', next: replay };
  return { sentence: 'Its operation is opened again with six fresh attempts, and its message goes back to its queue.', next: replay };
}
