import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createControlTable } from '#shared/aws/control-table.ts';
import { withoutKey } from '../../support/fake-aws/fault.ts';
import { plainTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';
import { createHttpHandler } from '../../support/fake-aws/wire.ts';

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `row-${index}`);

/** @param short a first read of several rows leaves one of them out */
function bench({ short = false, broken = false } = {}) {
  const aws = createFakeAws({ now: () => 0 });
  aws.dynamodb.createTable(plainTable('Control', ['id']));
  const calls: string[] = [];
  const requestHandler = createHttpHandler(async ({ operation, input }) => {
    const read = () => aws.dynamodb.handle(operation, input);
    calls.push(operation === 'BatchGetItem' ? `BatchGetItem ${input.RequestItems.Control.Keys.length}` : operation);
    if (operation !== 'BatchGetItem') return read();
    expect(input.RequestItems.Control.ConsistentRead).toBe(true);
    if (broken) throw new Error('no answer');
    return short ? withoutKey(input, (keys) => keys[0] ?? {}, read) : read();
  });
  const client = new DynamoDBClient({ ...(aws.clientConfig as DynamoDBClientConfig), requestHandler, maxAttempts: 1 });
  return { control: createControlTable(client, 'Control'), calls };
}

describe('rows read in one turn', () => {
  it('travel as one request, and a row alone as a plain read', async () => {
    const { control, calls } = bench();
    await Promise.all(ids(3).map(control.get));
    await control.get('alone');
    expect(calls).toEqual(['BatchGetItem 3', 'GetItem']);
  });

  it('go a hundred at a time, which is what DynamoDB takes', async () => {
    const { control, calls } = bench();
    await Promise.all(ids(203).map(control.get));
    expect(calls).toEqual(['BatchGetItem 100', 'BatchGetItem 100', 'BatchGetItem 3']);
  });

  it('are asked for again where DynamoDB handed a key back', async () => {
    const { control, calls } = bench({ short: true });
    await control.put('row-0', { n: 7 });
    expect(await Promise.all(ids(2).map(control.get))).toEqual([{ id: 'row-0', n: 7 }, undefined]);
    expect(calls).toEqual(['PutItem', 'BatchGetItem 2', 'GetItem']);
  });

  it('fail together when there is no answer, and the next turn asks anew', async () => {
    const { control, calls } = bench({ broken: true });
    const first = await Promise.allSettled(ids(2).map(control.get));
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await control.get('row-0')).toBeUndefined();
    expect(calls).toEqual(['BatchGetItem 2', 'GetItem']);
  });
});
