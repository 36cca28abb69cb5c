import { queueText } from '#shared/contract/queue-text.ts';
import type { JobMessage } from '#shared/contract/message.ts';
import type { QueueEntry, QueueSender } from './queue-sender.ts';

/** A message and the stream record it came from, so that what could not be sent can be told apart. */
export interface OutgoingMessage {
  readonly message: JobMessage;
  readonly recordIndex: number;
}

export interface DispatchResult {
  readonly sent: readonly OutgoingMessage[];
  /** No repetition can help: SQS refused it for good, or this code does not know its kind (a rollout under way). */
  readonly refused: readonly OutgoingMessage[];
  /** Not accepted this time. */
  readonly unsent: readonly OutgoingMessage[];
}

/** Tries of one entry within one invocation. */
const SEND_TRIES = 3;
const PAUSE_MS = 200;

/** Sends every message to its kind's queue. What was accepted is never sent again because something else failed. */
export async function dispatch(outgoing: readonly OutgoingMessage[], queueUrls: Readonly<Record<string, string>>, sender: QueueSender, sleep: (durationMs: number) => Promise<void>): Promise<DispatchResult> {
  const isKnown = ({ message }: OutgoingMessage): boolean => Object.hasOwn(queueUrls, message.kind);
  const refused = outgoing.filter((one) => !isKnown(one));
  const sent: OutgoingMessage[] = [];
  let pending = outgoing.filter(isKnown);
  for (let tries = 0; tries < SEND_TRIES && pending.length > 0; tries++) {
    if (tries > 0) await sleep(PAUSE_MS * tries);
    const left: OutgoingMessage[] = [];
    for (const [kind, group] of Map.groupBy(pending, ({ message }) => message.kind)) {
      const entries = group.map(({ message }, index): QueueEntry => ({ id: String(index), body: queueText(message) }));
      const { failed } = await sender.send(queueUrls[kind] ?? '', entries);
      const faults = new Map(failed.map((entry) => [Number(entry.id), entry.senderFault]));
      for (const [index, one] of group.entries()) (faults.get(index) === undefined ? sent : faults.get(index) ? refused : left).push(one);
    }
    pending = left;
  }
  return { sent, refused, unsent: pending };
}
