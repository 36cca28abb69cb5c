import { expect, it } from 'vitest';
import { rateRow } from '#shared/control/rows.ts';
import { createRateLimiter, type Token } from '#shared/rate-limit/rate-limiter.ts';
import { createMemoryControl } from '../../support/memory-control.ts';
import { createVirtualTime } from '../../support/virtual-time.ts';

// B71
function bench({ callsPerSecond = 100, fraction = () => 0.5 } = {}) {
  const time = createVirtualTime();
  const control = createMemoryControl();
  const limiterAt = (aheadMs = 0) =>
    createRateLimiter({ dependency: 'd', callsPerSecond, control, clock: time.clock(aheadMs), random: { fraction } });
  return { time, control, limiterAt };
}

it('serves callers who ask together by one write', async () => {
  const { time, control, limiterAt } = bench();
  const limiter = limiterAt();
  const tokens = Promise.all(Array.from({ length: 10 }, () => limiter.take({ maxWaitMs: 1_000 })));
  await time.run(tokens);
  expect(control.calls).toEqual(['get rate:d', 'update rate:d']);
  const instants = (await tokens).map((token) => token!.instantMs);
  for (const [index, instant] of instants.slice(1).entries()) expect(instant - instants[index]!).toBeCloseTo(10.527, 3);
});

it('lets a token be used at its instant, and calls it void 20 ms later', async () => {
  const { time, limiterAt } = bench();
  const limiter = limiterAt();
  const start = time.clock().nowMs();
  const token = { instantMs: start + 100 };
  const used = limiter.use(token);
  await time.run(used);
  expect(await used).toBe(true);
  expect(time.nowMs).toBe(100);
  await time.runUntil(120);
  expect(await limiter.use(token)).toBe(true);
  await time.runUntil(121);
  expect(await limiter.use(token)).toBe(false);
});

it('gives up without a token when none is free within the wait, and says nothing was free', async () => {
  const { time, control, limiterAt } = bench();
  const nowMs = time.clock().nowMs();
  control.rows.set(rateRow('d'), { id: rateRow('d'), nextSlotMs: nowMs + 60_000, asOfMs: nowMs });
  const limiter = limiterAt();
  // The first contact of a process queues behind what is out; only then does it know the others.
  const stranger = limiter.take({ maxWaitMs: 100 });
  await time.run(stranger);
  const token = limiter.take({ maxWaitMs: 100 });
  await time.run(token);
  expect(await token).toBeUndefined();
  expect(limiter.free).toBe(false);
});

it('fails everybody who waits when the table does not answer, and works again when it does', async () => {
  const { time, control, limiterAt } = bench();
  const limiter = limiterAt();
  control.failure = new Error('no answer');
  const takes = Promise.allSettled([limiter.take({ maxWaitMs: 1_000 }), limiter.take({ maxWaitMs: 1_000 })]);
  await time.run(takes);
  expect((await takes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  control.failure = undefined;
  const token = limiter.take({ maxWaitMs: 1_000 });
  await time.run(token);
  expect(await token).toBeDefined();
});

it('says that slots are had at once only just after they were', async () => {
  const { time, limiterAt } = bench();
  const limiter = limiterAt();
  expect(limiter.free).toBe(false);
  const token = limiter.take({ maxWaitMs: 1_000 });
  await time.run(token);
  expect(limiter.free).toBe(true);
  await time.runUntil(time.nowMs + 1_001);
  expect(limiter.free).toBe(false);
});

it('keeps a process with a slow clock behind the slots that a fast one has taken', async () => {
  const { time, limiterAt } = bench();
  const [fast, slow] = [limiterAt(300), limiterAt(0)];
  const trueInstants: number[] = [];
  const call = async (limiter: typeof fast, aheadMs: number): Promise<void> => {
    const token: Token | undefined = await limiter.take({ maxWaitMs: 1_000 });
    trueInstants.push(token!.instantMs - aheadMs);
  };
  await time.run(call(fast, 300));
  await time.run(Promise.all(Array.from({ length: 5 }, () => call(slow, 0))));
  await time.run(call(fast, 300));
  const sorted = trueInstants.toSorted((a, b) => a - b);
  expect(trueInstants).toEqual(sorted);
  for (const [index, instant] of sorted.slice(1).entries()) expect(instant - sorted[index]!).toBeGreaterThan(10);
});

it('spaces slots further apart for a dependency that may be used in part only', async () => {
  const { time, limiterAt } = bench();
  const limiter = limiterAt();
  const take = () => limiter.take({ maxWaitMs: 1_000, share: 1 / 8 });
  const tokens = Promise.all([take(), take()]);
  await time.run(tokens);
  const [first, second] = await tokens;
  expect(second!.instantMs - first!.instantMs).toBeCloseTo(84.211, 3);
});
