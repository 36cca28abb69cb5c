import { expect, it } from 'vitest';
import { formatPlan } from '../../../../cli/dead-letters/format-plan.ts';
import { planAct } from '../../../../cli/dead-letters/plan.ts';
import { openDesk } from './desk-bench.ts';

const plan = (bench: ReturnType<typeof openDesk>, max: number | undefined, codeOf: (asked: number) => string | undefined) => {
  let asked = 0;
  const planned = planAct('discard', [bench.desk], { filter: {}, max, foresee: async () => codeOf(++asked) });
  return planned.then((answer) => ({ answer, asked }));
};

it('asks about no more letters than may be done, and tells of the others', async () => {
  const bench = openDesk();
  bench.put(40);
  const { answer, asked } = await plan(bench, 5, () => undefined);
  expect(asked).toBe(5);
  expect(answer).toMatchObject({ matched: 40, refused: 0, beyond: 35 });
  expect(formatPlan('discard', answer, {})).toContain(
    '5 would be discarded, 0 refused; 35 more match and would be left alone, because of --max.',
  );
  expect(bench.visible()).toBe(40);
});

it('goes on to the next where one would be refused, which counts for nothing', async () => {
  const bench = openDesk();
  bench.put(40);
  const { answer, asked } = await plan(bench, 5, (nth) => (nth <= 12 ? 'busy' : undefined));
  expect(asked).toBe(17);
  expect(answer).toMatchObject({ matched: 40, refused: 12, beyond: 23 });
});

it('asks about every letter where nothing limits it', async () => {
  const bench = openDesk();
  bench.put(25);
  expect(await plan(bench, undefined, () => undefined)).toMatchObject({ asked: 25, answer: { matched: 25, beyond: 0 } });
});
