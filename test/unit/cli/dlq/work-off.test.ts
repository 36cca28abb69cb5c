import { expect, it } from 'vitest';
import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import type { ActOutcome } from '../../../../cli/dead-letters/tally.ts';
import { type WorkOff, workOff } from '../../../../cli/dead-letters/work-off.ts';
import { openDesk } from './desk-bench.ts';

type Bench = ReturnType<typeof openDesk>;

/** Acts by taking the letter away, unless told otherwise. */
async function work(bench: Bench, changed: Partial<WorkOff> = {}): Promise<{ outcomes: ActOutcome[]; letters: DeadLetter[] }> {
  const [outcomes, letters]: [ActOutcome[], DeadLetter[]] = [[], []];
  await workOff(bench.desk, {
    act: removing(bench),
    isWanted: () => true,
    sentBeforeMs: bench.nowMs() + 1,
    signal: new AbortController().signal,
    onOutcome: (outcome, letter) => {
      outcomes.push(outcome);
      letters.push(letter);
    },
    ...changed,
  });
  return { outcomes, letters };
}

const removing =
  (bench: Bench) =>
  async ({ received }: DeadLetter): Promise<ActOutcome> => {
    await bench.desk.letters.remove([received]);
    return { kind: 'done' };
  };

it('acts on every letter once', async () => {
  const bench = openDesk();
  bench.put(137);
  const { outcomes, letters } = await work(bench);
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 137 }, () => 'done'));
  expect(new Set(letters.map(({ received }) => received.messageId)).size).toBe(137);
  expect(bench.all()).toHaveLength(0);
});

it('meets what it does not want, what is refused and what fails once, and gives them back at the end', async () => {
  const bench = openDesk();
  bench.put(90);
  const met = new Map<string, number>();
  const { outcomes } = await work(bench, {
    isWanted: ({ received }) => Number.parseInt(received.messageId.slice(-2), 16) % 3 !== 0,
    act: async ({ received }) => {
      met.set(received.messageId, (met.get(received.messageId) ?? 0) + 1);
      if (Number.parseInt(received.messageId.slice(-2), 16) % 3 === 1) return { kind: 'refused', code: 'superseded' };
      throw new Error('no answer');
    },
  });
  expect([...met.values()].every((times) => times === 1)).toBe(true);
  expect(outcomes.filter(({ kind }) => kind === 'failed')).toHaveLength(outcomes.filter(({ kind }) => kind === 'refused').length);
  expect(bench.visible()).toBe(90);
});

it('leaves alone what was sent after it began: what it brings back may come again at once', async () => {
  const bench = openDesk();
  bench.put(10);
  const act: WorkOff['act'] = async (letter) => {
    bench.put(1);
    return removing(bench)(letter);
  };
  const { outcomes } = await work(bench, { act });
  expect(outcomes).toHaveLength(10);
  expect(bench.visible()).toBe(10);
});

it('acts on so many and no more, and counts only what took effect', async () => {
  const bench = openDesk();
  bench.put(50);
  let refusals = 7;
  const act: WorkOff['act'] = async (letter) => (refusals-- > 0 ? { kind: 'refused', code: 'superseded' } : removing(bench)(letter));
  const { outcomes } = await work(bench, { act, budget: { left: 12 } });
  expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(12);
  expect(bench.all()).toHaveLength(38);
  expect(bench.visible()).toBe(38);
});

it('ends between two letters when it is broken off: what is begun is ended, the others are given back', async () => {
  const bench = openDesk();
  bench.put(200);
  const controller = new AbortController();
  let [begun, ended] = [0, 0];
  const act: WorkOff['act'] = async (letter) => {
    if (++begun === 15) controller.abort();
    const outcome = await removing(bench)(letter);
    ended++;
    return outcome;
  };
  await work(bench, { act, signal: controller.signal });
  expect(begun).toBe(ended);
  expect(bench.all()).toHaveLength(200 - ended);
  expect(bench.visible()).toBe(200 - ended);
  expect(ended).toBeLessThan(140);
});

it('works off a FIFO group in its order, each letter after the one before, and groups beside each other', async () => {
  const bench = openDesk({ fifo: true });
  for (let round = 0; round < 25; round++) for (const group of ['one', 'other', 'third']) bench.put(1, group);
  const running = new Map<string, number>();
  let most = 0;
  const act: WorkOff['act'] = async (letter) => {
    const group = letter.received.group ?? '';
    running.set(group, (running.get(group) ?? 0) + 1);
    expect(running.get(group)).toBe(1);
    most = Math.max(
      most,
      [...running.values()].reduce((sum, count) => sum + count, 0),
    );
    const outcome = await removing(bench)(letter);
    running.set(group, 0);
    return outcome;
  };
  const { letters } = await work(bench, { act });
  for (const group of ['one', 'other', 'third']) {
    const sent = letters.filter(({ received }) => received.group === group).map(({ received }) => received.sentAtMs);
    expect(sent).toHaveLength(25);
    expect(sent).toEqual([...sent].sort((one, other) => one - other));
  }
  expect(most).toBeGreaterThan(1);
});

it('gives back everything when the queue itself stops answering', async () => {
  const bench = openDesk();
  bench.put(200);
  let calls = 0;
  bench.aws.fault = ({ operation }) =>
    operation === 'ReceiveMessage' && ++calls > 14 ? { error: 'QueueDoesNotExist', status: 400 } : undefined;
  await expect(work(bench, { act: async () => ({ kind: 'refused', code: 'superseded' }) })).rejects.toThrow();
  expect(bench.visible()).toBe(200);
});
