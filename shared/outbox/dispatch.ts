import type { JobMessage } from '#shared/contract/message.ts';
import { queueText } from '#shared/contract/queue-text.ts';
import type { FifoIds, QueueEntry, QueueSender } from './queue-sender.ts';

/** A message and the stream record it came from, so that what could not be sent can be told apart. */
export interface OutgoingMessage {
  readonly message: JobMessage;
  readonly recordIndex: number;
}

export interface DispatchResult {
  readonly sent: readonly OutgoingMessage[];
  /** No repetition can help: SQS refused it for good, or this code does not know its kind (a rollout under way). */
  readonly refused: readonly OutgoingMessage[];
  /** Not accepted this time, or behind one of its group that was not. */
  readonly unsent: readonly OutgoingMessage[];
  /** AWS's words for whatever was not accepted at the first try, each once: a missing permission is told from an outage by them. */
  readonly codes: readonly string[];
}

/** Tries within one invocation: of an entry, and of all entries of one FIFO group together. */
const SEND_TRIES = 3;
const PAUSE_MS = 200;

/** Messages that have to arrive in this order: those of one FIFO group, or a single message. */
interface Lane {
  readonly queueUrl: string;
  readonly waiting: Waiting[];
  tries: number;
}
interface Waiting {
  readonly one: OutgoingMessage;
  readonly fifo: FifoIds | undefined;
}

/**
 * Sends every message to its kind's queue. What was accepted is never sent again because something else failed, and what comes
 * behind another of its FIFO group is sent only after that one was taken: entries of one call fail one by one.
 *
 * @param fifoIdsOf undefined for a message whose queue is no FIFO queue
 */
export async function dispatch(
  outgoing: readonly OutgoingMessage[],
  queueUrls: Readonly<Record<string, string>>,
  sender: QueueSender,
  sleep: (durationMs: number) => Promise<void>,
  fifoIdsOf: (message: JobMessage) => FifoIds | undefined,
): Promise<DispatchResult> {
  const isKnown = ({ message }: OutgoingMessage): boolean => Object.hasOwn(queueUrls, message.kind);
  const sent: OutgoingMessage[] = [];
  const refused = outgoing.filter((one) => !isKnown(one));
  const codes = new Set<string>();
  const lanes = lanesOf(outgoing.filter(isKnown), queueUrls, fifoIdsOf);
  for (;;) {
    const active = lanes.filter(({ waiting, tries }) => waiting.length > 0 && tries < SEND_TRIES);
    if (active.length === 0) {
      const unsent = lanes.flatMap(({ waiting }) => waiting.map(({ one }) => one));
      return { sent, refused, unsent, codes: [...codes] };
    }
    const triesBefore = Math.max(...active.map(({ tries }) => tries));
    if (triesBefore > 0) await sleep(PAUSE_MS * triesBefore);
    for (const [queueUrl, group] of Map.groupBy(active, (lane) => lane.queueUrl))
      await sendHeads(queueUrl, group, sender, { sent, refused, codes });
  }
}

function lanesOf(
  outgoing: readonly OutgoingMessage[],
  queueUrls: Readonly<Record<string, string>>,
  fifoIdsOf: (message: JobMessage) => FifoIds | undefined,
): Lane[] {
  const lanes = new Map<unknown, Lane>();
  for (const one of outgoing) {
    const fifo = fifoIdsOf(one.message);
    const name = fifo === undefined ? one : `${one.message.kind}\0${fifo.group}`;
    const lane = lanes.get(name) ?? { queueUrl: queueUrls[one.message.kind] ?? '', waiting: [], tries: 0 };
    lane.waiting.push({ one, fifo });
    lanes.set(name, lane);
  }
  return [...lanes.values()];
}

/** The first message of every lane, in as few calls as the queue takes. */
async function sendHeads(
  queueUrl: string,
  lanes: readonly Lane[],
  sender: QueueSender,
  { sent, refused, codes }: { sent: OutgoingMessage[]; refused: OutgoingMessage[]; codes: Set<string> },
): Promise<void> {
  const heads = lanes.flatMap((lane) => lane.waiting.slice(0, 1).map((head) => ({ lane, ...head })));
  const entries = heads.map(({ one, fifo }, index): QueueEntry => ({ id: String(index), body: queueText(one.message), ...fifo }));
  const { failed } = await sender.send(queueUrl, entries);
  for (const { code } of failed) codes.add(code);
  const faults = new Map(failed.map(({ id, senderFault }) => [Number(id), senderFault]));
  for (const [index, { lane, one }] of heads.entries()) {
    const senderFault = faults.get(index);
    if (senderFault === false) {
      lane.tries++;
      continue;
    }
    lane.waiting.shift();
    (senderFault === undefined ? sent : refused).push(one);
  }
}
