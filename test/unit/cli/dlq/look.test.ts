import { expect, it } from 'vitest';
import { lookThrough } from '../../../../cli/dead-letters/look.ts';
import { surveyQueue } from '../../../../cli/dead-letters/survey.ts';
import { openDesk } from './desk-bench.ts';

const idsSeen = async (desk: ReturnType<typeof openDesk>['desk']): Promise<string[]> => {
  const ids: string[] = [];
  for await (const page of lookThrough(desk.letters)) ids.push(...page.map(({ messageId }) => messageId));
  return ids;
};

it('shows every letter once and gives all of them back', async () => {
  const bench = openDesk();
  bench.put(137);
  const ids = await idsSeen(bench.desk);
  expect(new Set(ids).size).toBe(137);
  expect(ids).toHaveLength(137);
  expect(bench.visible()).toBe(137);
});

it('gives back what it hid when nobody wants to see the rest', async () => {
  const bench = openDesk();
  bench.put(100);
  for await (const _ of lookThrough(bench.desk.letters)) break;
  expect(bench.visible()).toBe(100);
});

it('gives back what it hid when a call fails in between', async () => {
  const bench = openDesk();
  bench.put(100);
  let calls = 0;
  bench.aws.fault = ({ operation }) =>
    operation === 'ReceiveMessage' && ++calls === 6 ? { error: 'AccessDenied', status: 403 } : undefined;
  await expect(idsSeen(bench.desk)).rejects.toThrow();
  expect(bench.visible()).toBe(100);
});

it('ends although its letters come back while it looks, and shows none of them twice', async () => {
  const bench = openDesk();
  bench.put(60);
  let calls = 0;
  bench.aws.fault = ({ operation }) => {
    if (operation === 'ReceiveMessage') bench.later(121_000);
    calls++;
    return undefined;
  };
  const ids = await idsSeen(bench.desk);
  expect(ids.length).toBeGreaterThan(0);
  expect(new Set(ids).size).toBe(ids.length);
  expect(calls).toBeLessThan(100);
});

it('stops where SQS hides no more, and tells what it has seen', async () => {
  const bench = openDesk();
  bench.put(60);
  let calls = 0;
  bench.aws.fault = ({ operation }) => (operation === 'ReceiveMessage' && ++calls > 4 ? { error: 'OverLimit', status: 403 } : undefined);
  const survey = await surveyQueue(bench.desk, {}, bench.nowMs());
  expect(survey).toMatchObject({ waiting: 60, seen: 40, matched: 40, complete: false });
  expect(bench.visible()).toBe(60);
});

it('tells that letters behind others of their FIFO group were not seen', async () => {
  const bench = openDesk({ fifo: true });
  bench.put(25, 'one');
  bench.put(3, 'other');
  expect(await surveyQueue(bench.desk, {}, bench.nowMs())).toMatchObject({ waiting: 28, complete: false });
  expect(bench.visible()).toBe(28);
});

it('takes a deleted queue for missing, not for empty', async () => {
  const bench = openDesk();
  bench.aws.fault = () => ({ error: 'QueueDoesNotExist', status: 400 });
  expect(await surveyQueue(bench.desk, {}, bench.nowMs())).toMatchObject({ state: 'missing', complete: false });
});
