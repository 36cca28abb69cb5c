import { describe, expect, it } from 'vitest';
import type { InvocationEnd } from '../../simulation/cloud/lambda.ts';
import { acceptedBy } from '../../simulation/cloud/stream-filter.ts';
import { createStreamMapping } from '../../simulation/cloud/stream-mapping.ts';
import type { StreamFault } from '../../simulation/network/fault.ts';
import type { StreamRecord } from '../../support/fake-aws/fake-dynamodb.ts';
import { createSmallWorld } from './small-world.ts';

const record = (number: number, pk = 'a'): StreamRecord =>
  ({
    eventName: 'MODIFY',
    dynamodb: { Keys: { pk: { S: pk }, sk: { S: 'x' } }, SequenceNumber: String(number) },
  }) as unknown as StreamRecord;
const returned = (...failed: number[]): InvocationEnd => ({
  how: 'returned',
  value: { batchItemFailures: failed.map((number) => ({ itemIdentifier: String(number) })) },
});
const THREW: InvocationEnd = { how: 'threw', error: new Error('broken') };

function bench(
  answer: (numbers: number[], time: number) => InvocationEnd,
  options: { retryAttempts?: number; faults?: StreamFault[] } = {},
) {
  const world = createSmallWorld();
  const batches: number[][] = [];
  const given: number[] = [];
  const faults = [...(options.faults ?? [])];
  const invoke = (_: string, event: unknown, ended: (end: InvocationEnd) => void): void => {
    const numbers = (event as { Records: StreamRecord[] }).Records.map(({ dynamodb }) => Number(dynamodb.SequenceNumber));
    batches.push(numbers);
    world.after(5, () => ended(answer(numbers, batches.length)));
  };
  const mapping = createStreamMapping(
    {
      world,
      lambda: { invoke },
      faults: { strike: (_, possible) => possible.find((one) => one === faults[0]) && (faults.shift() as (typeof possible)[number]) },
      onGivenUp: (_, lost) => void given.push(Number(lost.dynamodb.SequenceNumber)),
    },
    { functionName: 'f', filters: [{}], batchSize: 100, maxRecordAgeMs: 60_000, retryAttempts: options.retryAttempts ?? 1_000 },
  );
  return { world, mapping, batches, given };
}

describe('a stream mapping', () => {
  it('goes on behind a batch that succeeded', async () => {
    const { world, mapping, batches } = bench(() => returned());
    for (const number of [1, 2, 3]) mapping.add(record(number));
    await world.pass(10_000);
    expect(batches.flat()).toEqual([1, 2, 3]);
    expect(mapping.waiting).toBe(0);
  });

  it('starts again from the lowest failed record, whatever came after it', async () => {
    const { world, mapping, batches } = bench((_, time) => (time === 1 ? returned(3, 2) : returned()));
    for (const number of [1, 2, 3, 4]) mapping.add(record(number));
    await world.pass(20_000);
    const [first = [], ...others] = batches;
    expect(first.slice(0, 2)).toEqual([1, 2]);
    expect(others.flat()).toEqual([2, 3, 4]);
  });

  it('halves a batch that broke until its culprit stands alone, and gives that one up after its attempts', async () => {
    const { world, mapping, batches, given } = bench((numbers) => (numbers.includes(3) ? THREW : returned()), { retryAttempts: 2 });
    for (const number of [1, 2, 3, 4]) mapping.add(record(number));
    await world.pass(50_000);
    expect(given).toEqual([3]);
    expect(batches.filter((batch) => batch.length === 1 && batch[0] === 3)).toHaveLength(3);
    expect(batches.at(-1)).toEqual([4]);
  });

  it('gives up a record that is too old, and nothing younger', async () => {
    const { world, mapping, given } = bench((numbers) => (numbers.includes(1) ? THREW : returned()));
    mapping.add(record(1));
    await world.pass(50_000);
    mapping.add(record(2));
    await world.pass(40_000);
    expect([given, mapping.waiting]).toEqual([[1], 0]);
  });

  it('keeps the order of one partition and lets others go on meanwhile', async () => {
    const { world, mapping, batches } = bench((numbers) =>
      numbers.some((number) => number < 10) && world.nowMs < 20_000 ? THREW : returned(),
    );
    for (const number of [1, 2]) mapping.add(record(number, 'a'));
    for (const number of [10, 11]) mapping.add(record(number, 'b'));
    await world.pass(15_000);
    expect(batches.flat().filter((number) => number >= 10)).toEqual([10, 11]);
    await world.pass(40_000);
    expect(mapping.waiting).toBe(0);
  });

  it('delivers again what it has delivered when its place in the stream is lost', async () => {
    const { world, mapping, batches } = bench(() => returned(), { faults: ['replayed'] });
    for (const number of [1, 2]) mapping.add(record(number));
    await world.pass(10_000);
    expect(batches.flat()).toEqual([1, 2, 1, 2]);
  });

  it('never shows what is written while records are lost', async () => {
    const { world, mapping, batches, given } = bench(() => returned());
    mapping.lostUntilMs = 1_000;
    mapping.add(record(1));
    await world.pass(2_000);
    mapping.add(record(2));
    await world.pass(2_000);
    expect([given, batches.flat()]).toEqual([[1], [2]]);
  });
});

describe('a stream filter', () => {
  const orders = acceptedBy([{ eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { sk: { S: [{ prefix: 'ORDER#' }] } } } }]);
  const of = (eventName: string, sk: string) => ({ eventName, dynamodb: { Keys: { sk: { S: sk } } } }) as unknown as StreamRecord;

  it('asks for every name, and for one of its rules each', () => {
    expect([of('MODIFY', 'ORDER#1'), of('REMOVE', 'ORDER#1'), of('MODIFY', 'JOB'), {} as StreamRecord].map(orders)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('refuses a rule it does not know', () => {
    expect(() => acceptedBy([{ eventName: [{ exists: false } as never] }])(of('MODIFY', 'x'))).toThrow('not simulated');
  });
});
