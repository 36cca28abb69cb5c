import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChance, seedFor } from '../../simulation/kernel/chance.ts';
import { createEventQueue, type Event } from '../../simulation/kernel/event-queue.ts';
import { createTrace } from '../../simulation/kernel/trace.ts';

const eventAt = (atMs: number, tie: number, number: number): Event => ({
  atMs,
  tie,
  number,
  run: () => undefined,
  process: undefined,
  cancelled: false,
});

function drain(queue: ReturnType<typeof createEventQueue>, untilMs = Number.POSITIVE_INFINITY): Event[] {
  const popped: Event[] = [];
  for (let event = queue.popUntil(untilMs); event !== undefined; event = queue.popUntil(untilMs)) popped.push(event);
  return popped;
}

describe('the event queue', () => {
  it('gives events in the order of their instants, then of their ties, then of their making', () => {
    const drawn = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 2 })), { maxLength: 60 });
    fc.assert(
      fc.property(drawn, (pairs) => {
        const events = pairs.map(([atMs, tie], number) => eventAt(atMs, tie, number));
        const queue = createEventQueue();
        for (const event of events) queue.push(event);
        const sorted = events.toSorted((a, b) => a.atMs - b.atMs || a.tie - b.tie || a.number - b.number);
        expect(drain(queue)).toEqual(sorted);
      }),
    );
  });

  it('keeps what comes later, and leaves out what was called off', () => {
    const queue = createEventQueue();
    const [first, second, third] = [eventAt(1, 0, 0), eventAt(2, 0, 1), eventAt(3, 0, 2)];
    for (const event of [third, second, first]) queue.push(event);
    second.cancelled = true;
    expect(drain(queue, 2)).toEqual([first]);
    expect(queue.nextAtMs).toBe(3);
    expect(drain(queue)).toEqual([third]);
    expect(queue.nextAtMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('chance', () => {
  it('draws the same from the same seed, on every machine', () => {
    const chance = createChance(42);
    expect(Array.from({ length: 4 }, () => Math.floor(chance.fraction() * 1e6))).toEqual([601_103, 448_290, 852_465, 669_734]);
  });

  it('gives each purpose a stream of its own', () => {
    const draws = ['world', 'ties', 'weather'].map((purpose) => createChance(seedFor(7, purpose)).fraction());
    expect(new Set(draws).size).toBe(3);
  });

  it('stays inside what was asked for, and reaches both ends', () => {
    const chance = createChance(3);
    const drawn = new Set(Array.from({ length: 200 }, () => chance.whole(2, 4)));
    expect([...drawn].sort()).toEqual([2, 3, 4]);
    expect(Array.from({ length: 200 }, () => chance.between(5, 6)).every((value) => value >= 5 && value < 6)).toBe(true);
  });

  it('never picks what has no weight, and nothing when nothing has', () => {
    const chance = createChance(5);
    const picked = new Set(Array.from({ length: 100 }, () => chance.pickWeighted({ a: 1, b: 0, c: 3 })));
    expect([...picked].sort()).toEqual(['a', 'c']);
    expect(chance.pickWeighted({ a: 0 })).toBeUndefined();
  });
});

describe('the trace', () => {
  const hashOf = (...lines: string[]): string => {
    const trace = createTrace({ keep: false });
    for (const line of lines) trace.add(line);
    return trace.hash;
  };

  it('has one hash for one story, and another for every other', () => {
    expect(hashOf('a', 'b')).toBe(hashOf('a', 'b'));
    expect(new Set([hashOf('a', 'b'), hashOf('b', 'a'), hashOf('a'), hashOf('a', 'c'), hashOf()]).size).toBe(5);
  });

  it('keeps its lines only when asked to; the hash is the same', () => {
    const kept = createTrace({ keep: true });
    kept.add('a');
    expect([kept.lines, kept.length, kept.hash]).toEqual([['a'], 1, hashOf('a')]);
  });
});
