import { expect, test } from 'vitest';
import { createItemStore } from '#shared/aws/item-store.ts';
import { stockItemKey } from '#shared/contract/item-keys.ts';
import { orderIsNew } from '#shared/item/conditions.ts';
import { putWrite } from '#shared/item/expression.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { job } from '#shared/worker/define-job.ts';
import { targetOf } from '#shared/worker/job-target.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { uniqueName } from '../support/integration/names.ts';
import { createOwnPipeline } from '../support/integration/own-pipeline.ts';
import { createRepeatedTransactions, type Repetition } from '../support/integration/repeated-transactions.ts';

// B91: whether the table in use honours a transaction's token is a promise of its own (test/conformance/dynamodb.test.ts, and what an
// emulator does differently in emulator-differences.ts beside it); nothing here may depend on it.
test.each<Repetition>(['one after the other', 'at the same time', 'without its token'])(
  'a commit over two items that reaches the table twice (%s) changes both once',
  async (how) => {
    const transactions = createRepeatedTransactions(how);
    const pipeline = await createOwnPipeline({ createRequestHandler: () => transactions.requestHandler });
    const sku = uniqueName('sku');
    const store = createItemStore(pipeline.client, pipeline.table.name);
    await store.write(putWrite(stockItemKey(sku), { quantity: 10, version: 1, fence: 0, lease: 'free' }, orderIsNew));
    const payload = { sku, adjustmentId: 'adjustment-1', delta: 3 };
    const message = JSON.stringify(outboxMessage(job(adjustStock, payload), Date.now()));

    const first = await pipeline.deliver([message], { definition: adjustStock });

    expect(transactions.repeated).toBeGreaterThan(0);
    expect(first).toEqual({ outcomes: ['committed'], handedBack: [] });
    expect(await pipeline.item(stockItemKey(sku))).toMatchObject({ quantity: 13, version: 2, fence: 1 });
    expect(await pipeline.item(targetOf(adjustStock, payload).key)).toMatchObject({
      version: 1,
      'op:run': { status: 'completed', tries: 1 },
    });
    expect((await pipeline.deliver([message], { definition: adjustStock })).outcomes).toEqual(['duplicate']);
    expect(await pipeline.item(stockItemKey(sku))).toMatchObject({ quantity: 13, version: 2 });
  },
);
