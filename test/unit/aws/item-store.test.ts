import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { createItemStore } from '#shared/aws/item-store.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import { claimWrite } from '#shared/item/claim.ts';
import { commitWrite } from '#shared/item/commit.ts';
import { NOTHING } from '../../../cli/cost/bill.ts';
import { stateTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';
import { createMeter } from '../../support/meter/meter.ts';

const key = { pk: 'USER#u-1', sk: 'ORDER#ord-1' };
const claim = { key, operation: 'capture:1', owner: 'me', intentHash: 'h', nowMs: 10, leaseUntilMs: 20 };
const accept = acceptWrite(key, { status: 'pending_payment' }, [], 1);

function createStore() {
  const meter = createMeter();
  const aws = createFakeAws({ now: () => 0, meter });
  aws.dynamodb.createTable(stateTable('State'));
  const client = new DynamoDBClient({ ...aws.clientConfig, maxAttempts: 3, retryMode: 'standard' } as DynamoDBClientConfig);
  return { aws, client, meter, store: createItemStore(client, 'State') };
}

describe('one conditional write', () => {
  test('that is accepted answers with the item as it stands now', async () => {
    const { store } = createStore();
    expect(await store.write(accept)).toMatchObject({ accepted: true, image: { ...key, version: 1, fence: 0 } });
    expect(await store.write(claimWrite(claim))).toMatchObject({
      accepted: true,
      image: { ...key, fence: 1, status: 'pending_payment', leaseOwner: 'me' },
    });
  });

  test('that is refused answers with the item that refused it, or with none, and reads nothing', async () => {
    const { store, aws } = createStore();
    expect(await store.write(claimWrite(claim))).toEqual({ accepted: false, old: undefined });
    await store.write(accept);
    expect(await store.write(accept)).toMatchObject({ accepted: false, old: { ...key, version: 1 } });
    expect(aws.calls.map(({ operation }) => operation)).toEqual(['UpdateItem', 'PutItem', 'PutItem']);
  });

  test.each([
    ['throttled for good', { error: 'ProvisionedThroughputExceededException' }],
    ['failing', { error: 'InternalServerError', status: 500 }],
    ['refusing the request', { error: 'ValidationException' }],
    ['not there', { error: 'ResourceNotFoundException' }],
  ])('to a table that is %s throws: that is no answer, and no refused condition', async (_what, fault) => {
    const { store, aws } = createStore();
    aws.fault = () => fault;
    await expect(store.write(accept)).rejects.toMatchObject({ name: fault.error });
  });
});

describe('the meter', () => {
  test('counts 3 write units, 3 round trips and no read for an order from its acceptance to its payment', async () => {
    const { store, meter } = createStore();
    await store.write(accept);
    await store.write(claimWrite(claim));
    const record = { status: 'completed', hash: 'h', atMs: 1, by: 'me', fence: 1, tries: 1 } as const;
    await store.write(
      commitWrite({
        key,
        operation: 'capture:1',
        holder: { owner: 'me', fence: 1 },
        record,
        outbox: [],
        keepOverdue: false,
        ownItem: false,
        recordOnly: false,
        nowMs: 1,
      }),
    );
    expect(meter.bill).toEqual({ ...NOTHING, tables: { State: { write: 3, read: 0, requests: 3 } } });
  });

  test('counts a refused write as the write it refused, and the SDK’s repetitions as round trips', async () => {
    const { store, meter, aws } = createStore();
    await store.write(accept);
    let calls = 0;
    aws.fault = () => (++calls === 1 ? 'apply-then-lose-answer' : undefined);
    await store.write(claimWrite(claim));
    expect(meter.bill).toEqual({ ...NOTHING, tables: { State: { write: 3, read: 0, requests: 3 } }, refusedWrites: 1 });
  });

  test('counts a large item by its size', async () => {
    const { store, meter } = createStore();
    await store.write(acceptWrite(key, { note: 'x'.repeat(3_100) }, [], 1));
    expect(meter.bill.tables).toEqual({ State: { write: 4, read: 0, requests: 1 } });
  });
});
