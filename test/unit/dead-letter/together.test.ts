import { expect, test } from 'vitest';
import type {
  EntryFailure,
  LetterQueuePort,
  MessageSenderPort,
  OutgoingLetter,
  ReceivedLetter,
} from '#shared/dead-letter/letter-queue-port.ts';
import { rearmTogether, removeTogether, sendTogether } from '#shared/dead-letter/together.ts';
import type { WriteAnswer } from '#shared/item/expression.ts';
import { rearmWrite } from '#shared/item/rearm.ts';

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

/** @param refusing items whose operation is not discarded */
function rearmBench(refusing: readonly string[] = [], { silent = false } = {}) {
  const calls: string[][] = [];
  const answerTo = (ids: readonly string[]): WriteAnswer =>
    ids.some((id) => refusing.includes(id)) ? { accepted: false, old: { id: ids[0] } } : { accepted: true, image: {} };
  const { write } = rearmTogether(
    {
      async write({ key }) {
        calls.push([key.pk]);
        return answerTo([key.pk]);
      },
      async writeTogether(writes) {
        calls.push(writes.map(({ key }) => key.pk));
        if (silent) throw new Error('no answer');
        return answerTo(writes.map(({ key }) => key.pk));
      },
    },
    oneTurn,
  );
  const rearm = (...pks: string[]) => Promise.all(pks.map((pk) => write(rearmWrite({ pk, sk: 'JOB' }, 'run'))));
  return { calls, rearm };
}

test('operations of several items are opened in one transaction', async () => {
  const { calls, rearm } = rearmBench();
  expect((await rearm('a', 'b', 'c')).every(({ accepted }) => accepted)).toBe(true);
  expect(calls).toEqual([['a', 'b', 'c']]);
});

test('one that is refused keeps none of the others closed, and hears by which item', async () => {
  const { calls, rearm } = rearmBench(['b']);
  expect(await rearm('a', 'b')).toEqual([
    { accepted: true, image: {} },
    { accepted: false, old: { id: 'b' } },
  ]);
  expect(calls).toEqual([['a', 'b'], ['a'], ['b']]);
});

test('without an answer each is tried by itself', async () => {
  const { calls, rearm } = rearmBench([], { silent: true });
  expect((await rearm('a', 'b')).every(({ accepted }) => accepted)).toBe(true);
  expect(calls).toEqual([['a', 'b'], ['a'], ['b']]);
});

test('two letters of one item go by themselves: a transaction takes an item once', async () => {
  const { calls, rearm } = rearmBench();
  await rearm('a', 'a');
  expect(calls).toEqual([['a'], ['a']]);
});
