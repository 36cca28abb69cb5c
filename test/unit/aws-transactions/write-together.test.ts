import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { stockItemKey } from '#shared/contract/item-keys.ts';
import { alsoWrite } from '#shared/item/also.ts';
import type { WriteAnswer } from '#shared/item/expression.ts';
import { WriteNeverPossible } from '#shared/item/item-store.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { stateTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';

type Reason = { Code: string; Item?: unknown };
const reasonsOf = (...codes: string[]): Reason[] => codes.map((Code) => ({ Code }));
const cancelled = (CancellationReasons: Reason[] | undefined) => ({
  error: 'TransactionCanceledException',
  fields: CancellationReasons === undefined ? {} : { CancellationReasons },
});

function createBench() {
  const aws = createFakeAws({ now: () => 1_000 });
  aws.dynamodb.createTable(stateTable('State'));
  const client = new DynamoDBClient({ ...aws.clientConfig, maxAttempts: 1 } as DynamoDBClientConfig);
  const pauses: number[] = [];
  const store = createItemStore(client, 'State', async (tries) => void pauses.push(tries));
  const writes = ['own', 'other'].map((sku) => alsoWrite({ key: stockItemKey(sku), add: { quantity: 1 } }, 1_000));
  const settled = async (): Promise<WriteAnswer | Error> => store.writeTogether(writes).catch((error: Error) => error);
  const item = (sku: string) => aws.dynamodb.item('State', toAttributeValues({ ...stockItemKey(sku) }) as never);
  return { aws, pauses, settled, item };
}

const OWN_ITEM = toAttributeValues({ ...stockItemKey('own'), quantity: 7 });
const refusedByOwn: WriteAnswer = { accepted: false, old: { ...stockItemKey('own'), quantity: 7 } };

// B51
describe('a transaction cancelled for', () => {
  const table: [string, Reason[] | undefined, { tries: number; answer: unknown }][] = [
    [
      'a condition of ours that failed',
      [{ Code: 'ConditionalCheckFailed', Item: OWN_ITEM }, { Code: 'None' }],
      { tries: 1, answer: refusedByOwn },
    ],
    [
      'a conflict',
      reasonsOf('TransactionConflict', 'None'),
      { tries: 3, answer: expect.objectContaining({ name: 'TransactionCanceledException' }) },
    ],
    [
      'a failed condition beside a conflict',
      [{ Code: 'ConditionalCheckFailed', Item: OWN_ITEM }, { Code: 'TransactionConflict' }],
      { tries: 3, answer: refusedByOwn },
    ],
    [
      'a conflict beside throttling',
      reasonsOf('TransactionConflict', 'ThrottlingError'),
      { tries: 1, answer: expect.objectContaining({ name: 'TransactionCanceledException' }) },
    ],
    ['a write that makes no sense', reasonsOf('None', 'ValidationError'), { tries: 1, answer: expect.any(WriteNeverPossible) }],
    [
      'an item collection that is full',
      reasonsOf('ItemCollectionSizeLimitExceeded', 'None'),
      { tries: 1, answer: expect.any(WriteNeverPossible) },
    ],
    ['reasons it does not tell', undefined, { tries: 1, answer: expect.objectContaining({ name: 'TransactionCanceledException' }) }],
    ['no reason at all', [], { tries: 1, answer: expect.objectContaining({ name: 'TransactionCanceledException' }) }],
    [
      'the other condition',
      [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
      { tries: 1, answer: { accepted: false, old: undefined, otherRefused: true } },
    ],
    [
      'a failed condition beside throttling',
      reasonsOf('ConditionalCheckFailed', 'ThrottlingError'),
      { tries: 1, answer: expect.objectContaining({ name: 'TransactionCanceledException' }) },
    ],
    [
      'a reason of tomorrow',
      reasonsOf('SomethingNew', 'None'),
      { tries: 1, answer: expect.objectContaining({ name: 'TransactionCanceledException' }) },
    ],
  ];

  test.each(table)('%s is judged by the whole list', async (_what, reasons, { tries, answer }) => {
    const { aws, settled, pauses, item } = createBench();
    aws.fault = () => cancelled(reasons);
    expect(await settled()).toEqual(answer);
    expect(aws.calls).toHaveLength(tries);
    expect(pauses).toEqual(Array.from({ length: tries - 1 }, (_, index) => index + 1));
    expect([item('own'), item('other')]).toEqual([undefined, undefined]);
  });

  test('a conflict that passes is written at the next try, once', async () => {
    const { aws, settled, item } = createBench();
    let conflicts = 2;
    aws.fault = () => (conflicts-- > 0 ? cancelled(reasonsOf('None', 'TransactionConflict')) : undefined);
    expect(await settled()).toEqual({ accepted: true, image: {} });
    expect([item('own')?.['quantity'], item('other')?.['quantity']]).toEqual([{ N: '1' }, { N: '1' }]);
  });

  test('a failed condition beside a conflict that passes is decided by what the next try meets', async () => {
    const { aws, settled } = createBench();
    let conflicts = 1;
    aws.fault = () =>
      conflicts-- > 0 ? cancelled([{ Code: 'ConditionalCheckFailed', Item: OWN_ITEM }, { Code: 'TransactionConflict' }]) : undefined;
    expect(await settled()).toEqual({ accepted: true, image: {} });
  });
});

describe('the job behind a cancelled transaction', () => {
  const endings: [string, Reason[] | undefined, object][] = [
    [
      'a failed condition on the other item',
      reasonsOf('None', 'ConditionalCheckFailed'),
      { action: 'hand-back', outcome: 'retry', facts: { code: 'guard-failed' } },
    ],
    [
      'a lasting conflict',
      reasonsOf('TransactionConflict', 'None'),
      { action: 'hand-back', outcome: 'unknown', facts: { code: 'commit-unanswered' } },
    ],
    [
      'throttling',
      reasonsOf('TransactionConflict', 'ThrottlingError'),
      { action: 'hand-back', outcome: 'unknown', facts: { code: 'commit-unanswered' } },
    ],
    [
      'a write that makes no sense',
      reasonsOf('None', 'ValidationError'),
      { action: 'ack', outcome: 'dead-lettered', facts: { code: 'commit-impossible' } },
    ],
    ['no reason at all', undefined, { action: 'hand-back', outcome: 'unknown', facts: { code: 'commit-unanswered' } }],
  ];

  test.each(endings)(
    'by %s keeps its message, or a letter of it, and comes to its end once the table answers',
    async (_what, reasons, ending) => {
      const bench = createWorkerBench();
      const body = JSON.stringify(outboxMessage(job(adjustStock, { sku: 'bolt', adjustmentId: 'a-1', delta: 5 }), bench.clock.nowMs()));
      bench.aws.fault = ({ operation }) => (operation === 'TransactWriteItems' ? cancelled(reasons) : undefined);
      expect(await bench.deliver(body, { definition: adjustStock })).toMatchObject(ending);
      bench.aws.fault = undefined;
      bench.clock.advance(8_000);
      const next = await bench.deliver(body, { definition: adjustStock });
      const ended = 'action' in ending && ending.action === 'ack';
      expect(next.outcome).toBe(ended ? 'duplicate-of-discarded' : 'committed');
      expect(bench.letters).toHaveLength(ended ? 1 : 0);
      expect(bench.item(stockItemKey('bolt'))?.['quantity']).toBe(ended ? undefined : 5);
    },
  );
});
