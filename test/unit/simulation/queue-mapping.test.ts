import { describe, expect, it } from 'vitest';
import type { InvocationEnd } from '../../simulation/cloud/lambda.ts';
import { createQueueMapping } from '../../simulation/cloud/queue-mapping.ts';
import type { World } from '../../simulation/kernel/world.ts';
import type { Faults, QueueFault } from '../../simulation/network/fault.ts';
import { createFakeSqs } from '../../support/fake-aws/fake-sqs.ts';
import { createSmallWorld } from './small-world.ts';

interface Record {
  readonly messageId: string;
  readonly body: string;
}

const failing = (...failed: readonly Record[]): InvocationEnd => ({
  how: 'returned',
  value: { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) },
});

function bench(answer: (records: readonly Record[], time: number) => InvocationEnd, { name = 'q', faults = [] as QueueFault[] } = {}) {
  const world = createSmallWorld();
  const sqs = createFakeSqs({ now: () => world.nowMs, staleReceipt: 'ignore' });
  const fifo = name.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
  const queueUrl = sqs.createQueue({ QueueName: name, Attributes: { VisibilityTimeout: '30', ...fifo } });
  const batches: string[][] = [];
  const deleted: string[] = [];
  const invoke = (_: string, event: unknown, ended: (end: InvocationEnd) => void): void => {
    const records = (event as { Records: Record[] }).Records;
    batches.push(records.map(({ body }) => body));
    world.after(5, () => ended(answer(records, batches.length)));
  };
  const strike = (_: string, possible: readonly string[]) => (possible.includes(faults[0] ?? '') ? faults.shift() : undefined);
  const mapping = createQueueMapping(
    {
      world: world as unknown as World,
      faults: { strike } as unknown as Faults,
      sqs,
      lambda: { invoke } as never,
      onDelivered: () => undefined,
      onDeleted: (_queueName, { body }) => void deleted.push(body),
    },
    { queueName: name, queueUrl, functionName: 'f', batchSize: 10, maxConcurrency: 2 },
  );
  const send = (body: string, group = 'g'): void => {
    const ids = name.endsWith('.fifo') ? { MessageGroupId: group, MessageDeduplicationId: body } : {};
    sqs.handle('SendMessage', { QueueUrl: queueUrl, MessageBody: body, ...ids });
    mapping.poke();
  };
  return { world, sqs, mapping, batches, deleted, send, waiting: () => sqs.messages(name).map(({ body }) => body) };
}

describe('a queue mapping', () => {
  it('deletes what the function does not name, and shows the named ones again after the visibility timeout', async () => {
    const { world, send, batches, deleted } = bench((records) =>
      failing(...records.filter(({ body }) => body === 'b' && world.nowMs < 20_000)),
    );
    for (const body of ['a', 'b', 'c']) send(body);
    await world.pass(20_000);
    expect(deleted.toSorted()).toEqual(['a', 'c']);
    await world.pass(20_000);
    expect(batches.at(-1)).toEqual(['b']);
    expect(deleted).toHaveLength(3);
  });

  it.each<[string, InvocationEnd]>([
    ['threw', { how: 'threw', error: new Error('broken') }],
    ['died', { how: 'died' }],
    ['ran out of time', { how: 'timed-out' }],
    ['named a message it was not given', { how: 'returned', value: { batchItemFailures: [{ itemIdentifier: 'nobody' }] } }],
  ])('deletes nothing of a function that %s', async (_, end) => {
    const { world, send, deleted, waiting } = bench(() => end);
    send('a');
    await world.pass(20_000);
    expect([deleted, waiting()]).toEqual([[], ['a']]);
  });

  it('takes nothing while it is off, and goes on when it is on again', async () => {
    const { world, mapping, send, batches } = bench(() => failing());
    mapping.enabled = false;
    send('a');
    await world.pass(60_000);
    expect(batches).toEqual([]);
    mapping.enabled = true;
    mapping.poke();
    await world.pass(10_000);
    expect(batches).toEqual([['a']]);
  });

  it('delivers twice what it was told to', async () => {
    const { world, send, batches } = bench(() => failing(), { faults: ['delivered-twice'] });
    send('a');
    await world.pass(60_000);
    expect(batches).toEqual([['a'], ['a']]);
  });
});

describe('a FIFO queue’s mapping', () => {
  it('keeps each group’s order, its repetitions too', async () => {
    const faults: QueueFault[] = ['delete-lost', 'delivered-twice'];
    const { world, send, batches } = bench(() => failing(), { name: 'q.fifo', faults });
    send('a');
    await world.pass(1_000);
    send('b');
    await world.pass(120_000);
    expect(batches[0]).toEqual(['a']);
    expect(batches.slice(1).flat()).toEqual(['a', 'b']);
  });

  it('does not look again and again for what is behind a message in flight', async () => {
    let looks = 0;
    const { world, send, mapping, sqs } = bench(() => ({ how: 'died' }), { name: 'q.fifo' });
    const receive = sqs.handle;
    Object.assign(sqs, {
      handle: (operation: string, input: Readonly<{ [name: string]: unknown }>) => {
        if (operation === 'ReceiveMessage') looks++;
        return receive(operation, input);
      },
    });
    send('a');
    await world.pass(1_000);
    send('b');
    await world.pass(25_000);
    mapping.poke();
    expect(looks).toBeLessThan(4);
  });
});
