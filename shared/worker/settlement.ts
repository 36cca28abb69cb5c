import type { ItemKey } from '#shared/contract/item-keys.ts';
import { MAX_ATTEMPTS } from '#shared/contract/limits.ts';
import type { DerivedTiming } from '#shared/contract/timing.ts';
import type { Settlement } from '#shared/idempotency/item-protocol.ts';
import { attemptsSent, attemptsSpent, type ItemImage, type OperationRecord } from '#shared/item/attributes.ts';
import type { LeaseHolder } from '#shared/item/conditions.ts';
import { discardWrite, settleWrite } from '#shared/item/settle.ts';
import { deferralDelayMs, jittered, type RetryPace, retryDelayMs } from '#shared/retry/schedule.ts';
import type { Verdict } from '#shared/retry/verdict.ts';

/** The message itself comes first; the rescue looks this much later than it is due back. */
const OVERDUE_SLACK_MS = 5 * 60_000;
/** `due:` lies this much before the message's return, so that the clocks of SQS and ours need not agree to the second. */
const DUE_EARLIER_MS = 1_000;
export interface SettlementFacts {
  readonly key: ItemKey;
  readonly operation: string;
  readonly holder: LeaseHolder;
  readonly image: ItemImage;
  readonly intentHash: string;
  /** When this intent was written; a job's own item carries none, there the message's first writing counts, which no replay changes. */
  readonly intentAtMs: number;
  readonly timing: DerivedTiming;
  readonly pace: RetryPace;
  readonly nowMs: number;
  /** Since the message was first received. */
  readonly messageAgeMs: number;
  /** An outcome stays unknown this long after its intent; then a person decides. */
  readonly unresolvedAfterMs: number;
  /** The outside was asked about earlier attempts in this execution and answered. */
  readonly asked: boolean;
  /** The kind can ask at all. */
  readonly canAsk: boolean;
}

/** The one place that decides how a run without an answer ends. */
export function settlementOf(verdict: Verdict, facts: SettlementFacts): Settlement {
  const attempt = attemptsSpent(facts.image, facts.operation);
  const overSchedule = attempt > MAX_ATTEMPTS;
  // Past the schedule nothing is called any more, only asked: the claim's own mark is taken back.
  const notSent = overSchedule || verdict.kind === 'deferred' || (verdict.kind !== 'unknown' && verdict.sent === 'no');
  const mayBeOut = attemptsSent(facts.image, facts.operation) - (notSent ? 1 : 0) > 0;
  if (verdict.kind === 'permanent') {
    if (!stillOpen(mayBeOut, facts)) return discard(verdict.code, notSent, facts);
    return { ...discard('unresolved', notSent, facts), detail: verdict.code };
  }
  if (verdict.kind === 'deferred') return putOff(verdict, facts);
  if (attempt >= MAX_ATTEMPTS && (!mayBeOut || !facts.canAsk)) return discard('attempts-spent', notSent, facts);
  if (isUnresolved(overSchedule, facts)) return discard('unresolved', notSent, facts);
  const delayMs = retryDelayMs(attempt, facts.pace, verdict.retryAfterMs);
  return release(verdict, { delayMs, notSent, deferred: overSchedule }, facts);
}

/** An earlier attempt may have gone out and nobody could say what became of it: that weighs more than why this run stopped. */
const stillOpen = (mayBeOut: boolean, { asked, canAsk, image, operation }: SettlementFacts): boolean =>
  mayBeOut && canAsk && !asked && attemptsSent(image, operation) > 1;

/**
 * Judged only once the schedule is used up, however old the intent is: a replay a week later, or a job that an outage put off
 * for two days, first asks its six times.
 */
const isUnresolved = (overSchedule: boolean, { intentAtMs, nowMs, unresolvedAfterMs }: SettlementFacts): boolean =>
  overSchedule && nowMs - intentAtMs > unresolvedAfterMs;

/** The message itself comes first. */
const overdueAfter = (delayMs: number, { timing, nowMs, pace }: SettlementFacts): number =>
  nowMs + delayMs + timing.visibilityTimeoutSeconds * 1000 + OVERDUE_SLACK_MS * pace.scale;

function release(
  verdict: { kind: 'retry' | 'unknown'; code: string },
  { delayMs, notSent, deferred }: { delayMs: number; notSent: boolean; deferred: boolean },
  facts: SettlementFacts,
): Settlement {
  const { key, operation, holder, nowMs } = facts;
  const dueAtMs = nowMs + delayMs - DUE_EARLIER_MS;
  const overdueAtMs = overdueAfter(delayMs, facts);
  const write = settleWrite({ key, operation, holder, dueAtMs, notSent, deferred, lastError: verdict.code, overdueAtMs });
  return { kind: verdict.kind, code: verdict.code, write, delayMs };
}

function putOff({ code, retryAfterMs, delayMs: ownDelayMs }: Extract<Verdict, { kind: 'deferred' }>, facts: SettlementFacts): Settlement {
  const { key, operation, holder, image, nowMs, messageAgeMs, pace } = facts;
  const delayMs = ownDelayMs === undefined ? deferralDelayMs(messageAgeMs, pace, retryAfterMs) : jittered(ownDelayMs, pace);
  // A mark set by an earlier failure waits along: left behind, the rescue would send another copy every few minutes.
  const overdueAtMs = image.overdueAtMs === undefined ? undefined : overdueAfter(delayMs, facts);
  const write = settleWrite({
    key,
    operation,
    holder,
    dueAtMs: nowMs + delayMs - DUE_EARLIER_MS,
    notSent: true,
    deferred: true,
    overdueAtMs,
  });
  return { kind: 'deferred', code, write, delayMs };
}

function discard(reason: string, notSent: boolean, facts: SettlementFacts): Settlement {
  const { key, operation, holder, image, intentHash, nowMs, pace } = facts;
  // Past the schedule the claim only asked.
  const tries = Math.min(attemptsSpent(image, operation), MAX_ATTEMPTS);
  const record: OperationRecord = {
    status: 'discarded',
    reason,
    hash: intentHash,
    atMs: nowMs,
    by: holder.owner,
    fence: holder.fence,
    tries,
  };
  const write = discardWrite({ key, operation, holder, record, notSent, overdueAtMs: nowMs + OVERDUE_SLACK_MS * pace.scale });
  return { kind: 'discard', code: reason, write, delayMs: retryDelayMs(Math.min(tries, MAX_ATTEMPTS - 1), pace) };
}
