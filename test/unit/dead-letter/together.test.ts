import { expect, test } from 'vitest';
import type {
  EntryFailure,
  LetterQueuePort,
  MessageSenderPort,
  OutgoingLetter,
  ReceivedLetter,
} from '#shared/dead-letter/letter-queue-port.ts';
import { removeTogether, sendTogether } from '#shared/dead-letter/together.ts';

const letter = (messageId: string): ReceivedLetter => ({
  messageId,
  receiptHandle: messageId,
  body: '',
  attributes: {},
  sentAtMs: 0,
  receiveCount: 1,
});
const message = (id: string): OutgoingLetter => ({ id, body: id, attributes: {} });
const failing = (id: string): EntryFailure => ({ messageId: id, code: 'InternalError' });
const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `m-${index}`);
const oneTurn = () => Promise.resolve();

test('letters worked off side by side are removed ten at a time, and each hears only of its own failure', async () => {
  const calls: string[][] = [];
  const queue: LetterQueuePort = {
    receive: async () => [],
    hide: async () => [],
    async remove(letters) {
      calls.push(letters.map(({ messageId }) => messageId));
      return letters.filter(({ messageId }) => messageId === 'm-3').map(({ messageId }) => failing(messageId));
    },
  };
  const { remove } = removeTogether(queue, oneTurn);
  const answers = await Promise.all(ids(12).map((id) => remove([letter(id)])));
  expect(calls.map(({ length }) => length)).toEqual([10, 2]);
  expect(answers.map(({ length }) => length)).toEqual(ids(12).map((id) => (id === 'm-3' ? 1 : 0)));
});

test('messages of one queue leave together in their order, those of two queues apart', async () => {
  const calls: [string, string[]][] = [];
  const sender: MessageSenderPort = {
    async send(queueUrl, messages) {
      calls.push([queueUrl, messages.map(({ id }) => id)]);
      return queueUrl === 'b' ? messages.map(({ id }) => failing(id)) : [];
    },
  };
  const { send } = sendTogether(sender, oneTurn);
  const answers = await Promise.all([send('a', [message('1')]), send('b', [message('2')]), send('a', [message('3')])]);
  expect(calls).toEqual([
    ['a', ['1', '3']],
    ['b', ['2']],
  ]);
  expect(answers).toEqual([[], [failing('2')], []]);
});
