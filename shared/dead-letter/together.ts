import { askTogether, type Gather } from '#shared/control/ask-together.ts';
import type { ItemWrite, WriteAnswer } from '#shared/item/expression.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import type { EntryFailure, LetterQueuePort, MessageSenderPort, OutgoingLetter, ReceivedLetter } from './letter-queue-port.ts';

/** As many as SQS takes in one call. */
const MAX_ENTRIES = 10;

const ownOf = (failures: readonly EntryFailure[], id: string): EntryFailure[] => failures.filter(({ messageId }) => messageId === id);

/** A dead-letter queue from which letters that are worked off side by side are taken away together; each still hears of its own. */
export function removeTogether(letters: LetterQueuePort, gather: Gather): LetterQueuePort {
  const remove = askTogether<ReceivedLetter, EntryFailure[]>({
    most: MAX_ENTRIES,
    gather,
    run: async (asked) => {
      const failures = await letters.remove(asked);
      return asked.map(({ messageId }) => ownOf(failures, messageId));
    },
  });
  return { ...letters, remove: async (some) => (await Promise.all(some.map(remove))).flat() };
}

/**
 * Opens the operations of several letters in one transaction. One that is refused refuses all of them, and two of one item do not go into
 * one; then each goes by itself, and so it does when there was no answer: an operation that is open already says so.
 */
export function rearmTogether(
  { write, writeTogether }: Pick<ItemStore, 'write' | 'writeTogether'>,
  gather: Gather,
): Pick<ItemStore, 'write'> {
  return {
    write: askTogether<ItemWrite, WriteAnswer>({
      most: MAX_ENTRIES,
      gather,
      async run(writes) {
        const items = new Set(writes.map(({ key }) => `${key.pk}\0${key.sk}`));
        const isFit = writes.length > 1 && items.size === writes.length;
        const answer = isFit ? await writeTogether(writes).catch(() => undefined) : undefined;
        return writes.map((one) => (answer?.accepted ? answer : write(one)));
      },
    }),
  };
}

/** Sends together what is sent to one queue at a time; each message still hears of its own. */
export function sendTogether(sender: MessageSenderPort, gather: Gather): MessageSenderPort {
  const queues = new Map<string, (message: OutgoingLetter) => Promise<EntryFailure[]>>();
  const sendTo = (queueUrl: string): ((message: OutgoingLetter) => Promise<EntryFailure[]>) =>
    askTogether<OutgoingLetter, EntryFailure[]>({
      most: MAX_ENTRIES,
      gather,
      run: async (asked) => {
        const failures = await sender.send(queueUrl, asked);
        return asked.map(({ id }) => ownOf(failures, id));
      },
    });
  return {
    async send(queueUrl, messages) {
      const send = queues.get(queueUrl) ?? sendTo(queueUrl);
      queues.set(queueUrl, send);
      return (await Promise.all(messages.map(send))).flat();
    },
  };
}
