import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createItemStore } from '#shared/aws/item-store.ts';
import { claimWrite } from '#shared/item/claim.ts';
import { commitWrite } from '#shared/item/commit.ts';
import { createMemoryStore } from '../../../bench/core/memory-store.ts';
import { stateTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';

const key = { pk: 'USER#u-1', sk: 'ORDER#o-1' };
const item = { status: 'pending_payment', version: 1, fence: 0, lease: 'free', outbox: [] };
const writes = [
  claimWrite({ key, operation: 'capture:1', owner: 'me', intentHash: 'h', nowMs: 10, leaseUntilMs: 20 }),
  commitWrite({
    key,
    operation: 'capture:1',
    holder: { owner: 'me', fence: 1 },
    record: { status: 'completed', hash: 'h', atMs: 11, by: 'me', fence: 1, tries: 1 },
    change: { set: { status: 'paid' } },
    outbox: [],
    keepOverdue: false,
    ownItem: false,
    recordOnly: false,
    nowMs: 11,
  }),
];

it('the map the core is measured over makes of claim and commit what a table makes of them', async () => {
  const aws = createFakeAws({ now: () => 0 });
  aws.dynamodb.createTable(stateTable('State'));
  const table = createItemStore(new DynamoDBClient(aws.clientConfig as DynamoDBClientConfig), 'State');
  const map = createMemoryStore();
  map.put(key, item);
  await table.write({ key, item: { ...item, ...key }, condition: 'attribute_not_exists(#n0)', names: { '#n0': 'pk' }, values: {} });
  for (const write of writes) expect(await map.write(write)).toEqual(await table.write(write));
});
