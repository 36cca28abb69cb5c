import { createHash } from 'node:crypto';
import type { ItemImage } from '#shared/item/attributes.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { rearmWrite } from '#shared/item/rearm.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { type AuditTrail, endedAs } from './audit.ts';
import { audited } from './audited.ts';
import { LETTER_ATTRIBUTE, REPLAY_ATTRIBUTE, REPLAYS_ATTRIBUTE } from './letter.ts';
import type { LetterQueuePort, MessageSenderPort, OutgoingLetter } from './letter-queue-port.ts';
import { type DeadLetter, replaysOf } from './read-letter.ts';
import { planReplay, type ReplayPlan, type ReplayRefusal } from './replay-plan.ts';

export interface ReplayWorld {
  readonly store: Pick<ItemStore, 'read' | 'write'>;
  readonly audit: AuditTrail;
  readonly letters: Pick<LetterQueuePort, 'remove'>;
  readonly sender: MessageSenderPort;
}

export interface Replaying {
  readonly who: string;
  readonly why: string;
  /** A letter that people have brought back so often already is refused: whatever it fails for is not mended. Left out, there is no limit. */
  readonly mostReplays?: number | undefined;
}

export type Replayed =
  | { readonly outcome: 'replayed'; readonly rearmed: boolean }
  /** Nothing was changed; the letter is where it was. */
  | { readonly outcome: 'refused'; readonly code: ReplayRefusal }
  /** Not known to be accepted by its queue, for the reason AWS gives; the letter is where it was. */
  | { readonly outcome: 'not-sent'; readonly code: string }
  /** The message is out and the letter is still there. Replayed again, the second copy meets the first one's claim. */
  | { readonly outcome: 'not-deleted'; readonly code: string };

/**
 * Brings one letter back to its queue: audit, look, arm again, send, delete, in this order. Every step can be repeated, so a
 * tool that dies anywhere is simply run again:
 *
 * - died before the send: the letter is there. An operation that is armed already is found open, and the message alone is sent;
 *   a sweep that meanwhile derived the job from the state has sent a copy of the same key.
 * - died after the send, or its answer was lost: message and letter are both there. The second replay finds the operation
 *   completed (refused, the letter may be dropped), open (a second copy, which meets the first one's claim), or given up again
 *   (then there is a second letter, too). On a FIFO queue the second copy carries the same deduplication id: within five minutes
 *   SQS drops it, and the first one was accepted.
 * - died after the delete: the audit entry has no outcome; the message is out.
 * - two tools at a time, or one that held a letter longer than it was hidden: as after a crash.
 *
 * Does not protect against a letter that fails again for its old reason: it returns as a new letter, after its six attempts, and says how
 * often it was brought back; `mostReplays` ends that.
 *
 * @throws when a table gave no answer: the letter is where it was, and the audit says that the act failed
 */
export function replayLetter(letter: DeadLetter, { who, why, mostReplays }: Replaying, world: ReplayWorld): Promise<Replayed> {
  let sentAs: string | undefined;
  const onSent = (messageId: string): void => {
    sentAs = messageId;
  };
  return audited(
    { what: 'replay', who, why, letter },
    world.audit,
    () => replay(letter, { mostReplays, onSent }, world),
    (replayed) => endedAs(outcomeOf(replayed), replayed.outcome === 'replayed' ? sentAs : undefined),
  );
}

const outcomeOf = (replayed: Replayed): string =>
  'code' in replayed ? `${replayed.outcome}: ${replayed.code}` : replayed.rearmed ? 'replayed, armed again' : 'replayed';

interface Sending extends Pick<OutgoingLetter, 'onSent'>, Pick<Replaying, 'mostReplays'> {}

async function replay(letter: DeadLetter, { mostReplays, onSent }: Sending, world: ReplayWorld): Promise<Replayed> {
  const { received, source, job } = letter;
  const plan = planReplay(letter, job === undefined ? undefined : await world.store.read(job.target.key), mostReplays);
  if (plan.act === 'refuse') return { outcome: 'refused', code: plan.code };
  if (plan.act === 'rearm-and-send') {
    const refusal = await rearm(letter, world);
    if (refusal !== undefined) return { outcome: 'refused', code: refusal };
  }
  const [unsent] = await world.sender.send(source.queueUrl, [{ ...outgoing(letter, plan), onSent }]);
  if (unsent !== undefined) return { outcome: 'not-sent', code: unsent.code };
  const [left] = await world.letters.remove([received]);
  if (left !== undefined) return { outcome: 'not-deleted', code: left.code };
  return { outcome: 'replayed', rearmed: plan.act === 'rearm-and-send' };
}

/** @returns why not, judged by the item that refused: somebody else armed the operation meanwhile (or the SDK repeated our own write), or it has come to an end */
async function rearm(letter: DeadLetter, { store }: ReplayWorld): Promise<ReplayRefusal | undefined> {
  if (letter.job === undefined) return undefined;
  const { key, operation } = letter.job.target;
  const answer = await store.write(rearmWrite(key, operation));
  if (answer.accepted) return undefined;
  const plan = planReplay(letter, answer.old as ItemImage | undefined);
  return plan.act === 'refuse' ? plan.code : undefined;
}

/** The body byte for byte, under the group and the trace it had. */
function outgoing(letter: DeadLetter, plan: ReplayPlan): OutgoingLetter {
  const { received, source, job } = letter;
  return {
    id: received.messageId,
    body: received.body,
    attributes: attributesOf(letter, plan),
    traceHeader: received.traceHeader,
    group: received.group,
    ...(source.fifo ? { deduplicationId: deduplicationIdOf(received, job) } : {}),
  };
}

/** SQS takes so many with a message. */
const MAX_ATTRIBUTES = 10;

/**
 * Every attribute but the reason: with it the message would be taken for one that SQS moved back. What it carries instead tells a worker
 * that finds the operation discarded all the same (a table put back) that the letter is gone, and how often it was brought back. A
 * message that is full of its sender's attributes goes without: none of them is dropped for ours.
 */
function attributesOf(letter: DeadLetter, plan: ReplayPlan): OutgoingLetter['attributes'] {
  const { [LETTER_ATTRIBUTE]: _letter, [REPLAY_ATTRIBUTE]: _fence, [REPLAYS_ATTRIBUTE]: _count, ...others } = letter.received.attributes;
  const ours = [
    ...(plan.act === 'rearm-and-send' ? [[REPLAY_ATTRIBUTE, plan.fence] as const] : []),
    [REPLAYS_ATTRIBUTE, replaysOf(letter) + 1] as const,
  ];
  const room = Math.max(0, MAX_ATTRIBUTES - Object.keys(others).length);
  return {
    ...others,
    ...Object.fromEntries(ours.slice(0, room).map(([name, value]) => [name, { dataType: 'Number', text: String(value) }])),
  };
}

/** Named after the letter, or SQS would take the message for a copy of the one that failed and drop it. */
function deduplicationIdOf({ messageId, body }: DeadLetter['received'], job: DeadLetter['job']): string {
  const ids = job && fifoIds(job.message, () => job.definition, messageId);
  return ids?.deduplicationId ?? createHash('sha256').update(body).update('\0').update(messageId).digest('hex');
}
