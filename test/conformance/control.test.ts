import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createControlTable } from '#shared/aws/control-table.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import { plainTable } from '../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../support/fake-aws/request-handler.ts';
import { createMemoryControl } from '../support/memory-control.ts';

function overDynamoDb(): ControlStore {
  const aws = createFakeAws({ now: () => 0 });
  aws.dynamodb.createTable(plainTable('Control', ['id']));
  return createControlTable(new DynamoDBClient(aws.clientConfig as DynamoDBClientConfig), 'Control');
}

describe.each<[string, () => ControlStore]>([
  ['in memory', createMemoryControl],
  ['over DynamoDB', overDynamoDb],
])('the Control store %s', (_where, create) => {
  it('has no row until one is written, and creates it by an update', async () => {
    const control = create();
    expect(await control.get('a')).toBeUndefined();
    expect(await control.update('a', { set: { n: 1 } })).toEqual({ accepted: true, row: { id: 'a', n: 1 } });
    expect(await control.get('a')).toEqual({ id: 'a', n: 1 });
  });

  it('reads rows that are asked for together, those that are not there included, and one asked for twice', async () => {
    const control = create();
    await control.put('a', { n: 1 });
    await control.put('b', { n: 2 });
    const rows = await Promise.all(['b', 'none', 'a', 'b'].map((id) => control.get(id)));
    expect(rows).toEqual([{ id: 'b', n: 2 }, undefined, { id: 'a', n: 1 }, { id: 'b', n: 2 }]);
  });

  it('sets, adds and removes in one step and returns the new row', async () => {
    const control = create();
    await control.put('a', { n: 1.5, old: 'x' });
    const answer = await control.update('a', { set: { state: 'open', nothing: undefined }, add: { n: 2 }, remove: ['old'] });
    expect(answer).toEqual({ accepted: true, row: { id: 'a', n: 3.5, state: 'open' } });
  });

  it('replaces a row as a whole and deletes it', async () => {
    const control = create();
    await control.put('a', { n: 1, old: 'x' });
    await control.put('a', { n: 2 });
    expect(await control.get('a')).toEqual({ id: 'a', n: 2 });
    expect(await control.delete('a')).toEqual({ accepted: true, row: undefined });
    expect(await control.get('a')).toBeUndefined();
  });

  it.each([
    ['absent', 'other', 'absent' as const, true],
    ['absent', 'n', 'absent' as const, false],
    ['equal', 'n', { equals: 5 }, true],
    ['equal', 'n', { equals: 6 }, false],
    ['equal text', 'state', { equals: 'open' }, true],
    ['between', 'n', { between: [5, 5] as const }, true],
    ['between', 'n', { between: [6, 9] as const }, false],
    ['between', 'n', { between: [1, 4] as const }, false],
    ['at most', 'n', { atMost: 5 }, true],
    ['at most', 'n', { atMost: 4.9 }, false],
    ['below', 'n', { below: 5.1 }, true],
    ['below', 'n', { below: 5 }, false],
    ['absent or below', 'other', { absentOrBelow: 1 }, true],
    ['absent or below', 'n', { absentOrBelow: 6 }, true],
    ['absent or below', 'n', { absentOrBelow: 5 }, false],
    ['at most, of nothing', 'other', { atMost: 9 }, false],
    ['below, of nothing', 'other', { below: 9 }, false],
  ])('judges %s (%s %j: %s) the same for every kind of write', async (_test, attribute, test, accepted) => {
    for (const write of [
      (control: ControlStore) => control.update('a', { set: { written: 1 } }, { [attribute]: test }),
      (control: ControlStore) => control.put('a', { written: 1 }, { [attribute]: test }),
      (control: ControlStore) => control.delete('a', { [attribute]: test }),
    ]) {
      const control = create();
      await control.put('a', { n: 5, state: 'open' });
      const answer = await write(control);
      expect(answer.accepted).toBe(accepted);
      if (!accepted) expect(answer.row).toEqual({ id: 'a', n: 5, state: 'open' });
      if (!accepted) expect(await control.get('a')).toEqual({ id: 'a', n: 5, state: 'open' });
    }
  });

  it('needs every test of a condition to hold', async () => {
    const control = create();
    await control.put('a', { n: 5, m: 1 });
    expect((await control.update('a', { set: { n: 6 } }, { n: { equals: 5 }, m: { equals: 2 } })).accepted).toBe(false);
    expect((await control.update('a', { set: { n: 6 } }, { n: { equals: 5 }, m: { equals: 1 } })).accepted).toBe(true);
  });
});
