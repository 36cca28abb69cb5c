import { expect, test } from 'vitest';
import { askTogether } from '#shared/control/ask-together.ts';

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

test('what is asked for in one turn is one call, and each gets its own answer', async () => {
  const calls: number[][] = [];
  const double = askTogether<number, number>({
    most: 10,
    run: async (asked) => {
      calls.push([...asked]);
      return asked.map((number) => 2 * number);
    },
  });
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
  expect(await double(4)).toBe(8);
  expect(calls).toEqual([[1, 2, 3], [4]]);
});

test('a call leaves when it is full, and the rest gather for the next', async () => {
  const calls: number[][] = [];
  const { promise, resolve: over } = Promise.withResolvers<void>();
  const ask = askTogether<number, number>({
    most: 2,
    gather: () => promise,
    run: async (asked) => {
      calls.push([...asked]);
      return asked;
    },
  });
  const answers = Promise.all([1, 2, 3].map(ask));
  await turns(3);
  expect(calls).toEqual([[1, 2]]);
  over();
  expect(await answers).toEqual([1, 2, 3]);
  expect(calls).toEqual([[1, 2], [3]]);
});

test('a call that fails fails for everybody in it, and for nobody else', async () => {
  let calls = 0;
  const ask = askTogether<number, number>({
    most: 2,
    run: async (asked) => {
      if (++calls === 1) throw new Error('no answer');
      return asked;
    },
  });
  const ended = await Promise.allSettled([1, 2, 3].map(ask));
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test('one of a call may fail alone', async () => {
  const ask = askTogether<number, number>({
    most: 10,
    run: async (asked) => asked.map((number) => (number === 2 ? Promise.reject(new Error('not this one')) : number)),
  });
  const ended = await Promise.allSettled([1, 2, 3].map(ask));
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
