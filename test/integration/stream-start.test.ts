import { expect, onTestFinished, test } from 'vitest';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { output, outputsOfKind } from '../support/integration/deployment.ts';
import { createMapping, deleteMapping, mappingOf } from '../support/integration/lambda-api.ts';
import { uniqueName } from '../support/integration/names.ts';
import { createOwnStateTable } from '../support/integration/own-table.ts';
import { waitForLetters } from '../support/integration/queues.ts';

// B44
test('an order written just before the mapping is created is carried out like one written just after', async () => {
  const dispatcher = output(STACK_OUTPUTS.dispatchOutboxFunction);
  const { StartingPosition, BatchSize, FunctionResponseTypes, FilterCriteria } = await mappingOf(dispatcher, 'dynamodb');
  const table = await createOwnStateTable();
  const store = createItemStore(createDynamoDbClient(), table.name);
  const userId = uniqueName('start');
  const write = async (orderId: string): Promise<string> => {
    const { version: _, ...order } = newOrder(userId, orderId, { amountMinor: 4_999, currency: 'EUR' }, Date.now());
    const message = outboxMessage(job(capturePayment, { userId, orderId, attempt: 1 }), Date.now());
    await store.write(acceptWrite(orderItemKey(userId, orderId), order, [message], Date.now()));
    return message.idempotencyKey;
  };

  const before = await write('before');
  const deployed = { StartingPosition, BatchSize, FunctionResponseTypes, FilterCriteria };
  const { UUID } = await createMapping({ ...deployed, FunctionName: dispatcher, EventSourceArn: table.streamArn });
  onTestFinished(() => deleteMapping(UUID));
  const after = await write('after');

  // The worker looks for them in the deployed table, where they are not: their letters show that both were sent.
  const { deadLetterQueueUrl } = outputsOfKind(capturePayment.kind);
  const letters = await waitForLetters(deadLetterQueueUrl, 2, (body) => body.includes(userId));
  expect(letters.map(({ body }) => JSON.parse(body).idempotencyKey).sort()).toEqual([after, before].sort());
});

test('both stream consumers begin at the oldest record there is', async () => {
  const consumers = [output(STACK_OUTPUTS.dispatchOutboxFunction), output(STACK_OUTPUTS.invalidateCacheFunction)];
  for (const consumer of consumers) expect((await mappingOf(consumer, 'dynamodb')).StartingPosition).toBe('TRIM_HORIZON');
});
