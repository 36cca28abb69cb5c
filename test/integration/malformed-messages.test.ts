import { expect, test } from 'vitest';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { MAX_MESSAGE_BYTES } from '#shared/contract/limits.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { output, outputsOfKind } from '../support/integration/deployment.ts';
import { whileNobodyReceives } from '../support/integration/lambda-api.ts';
import { loggedBatches } from '../support/integration/log-lines.ts';
import { uniqueName } from '../support/integration/names.ts';
import { capturesOf } from '../support/integration/provider.ts';
import { captureMessage, sendBodies, waitForLetters } from '../support/integration/queues.ts';
import { waitForStatus } from '../support/integration/tables.ts';
import { waitUntil } from '../support/integration/wait-until.ts';

const { queueUrl, deadLetterQueueUrl, functionName } = outputsOfKind(capturePayment.kind);

/** An order whose only way to be paid is the message a test sends for it. */
async function orderWithoutOutbox(): Promise<{ userId: string; orderId: string; message: string }> {
  const [userId, orderId] = [uniqueName('u'), uniqueName('o')];
  const { version: _, ...order } = newOrder(userId, orderId, { amountMinor: 4_999, currency: 'EUR' }, Date.now());
  const store = createItemStore(createDynamoDbClient(), output(STACK_OUTPUTS.stateTable));
  await store.write(acceptWrite(orderItemKey(userId, orderId), order, [], Date.now()));
  return { userId, orderId, message: captureMessage(userId, orderId) };
}

type Message = { kind: string; idempotencyKey?: string; payload: Record<string, unknown> } & Record<string, unknown>;
const changed = (message: string, change: (copy: Message) => void): string => {
  const copy = JSON.parse(message) as Message;
  change(copy);
  return JSON.stringify(copy);
};

/** Unique where a body can be; the shortest ones are told from other runs' by being taken out. */
const notMessages = (run: string, message: string): Record<string, string> => ({
  'no JSON': `{ ${run} is not JSON`,
  'white space only': ' ',
  null: 'null',
  'an empty list': '[]',
  'a list with a message': `[${message}]`,
  'a string': JSON.stringify(run),
  'a string that holds a message': JSON.stringify(message),
  'a base64 blob': Buffer.from(message).toString('base64'),
});

const wrongMessages = (run: string, message: string): Record<string, string> => ({
  'another kind': changed(message, (copy) => Object.assign(copy, { kind: 'send-receipt' })),
  'an unknown field': changed(message, (copy) => Object.assign(copy, { [run]: true })),
  'an unknown payload field': changed(message, ({ payload }) => Object.assign(payload, { amountMinor: 1 })),
  'no key': changed(message, (copy) => delete copy.idempotencyKey),
  'an empty key': changed(message, (copy) => Object.assign(copy, { idempotencyKey: '' })),
  'a key that is not the derived one': changed(message, (copy) => Object.assign(copy, { idempotencyKey: `capture:${run}/o:1` })),
  '17 KB': changed(message, ({ payload }) => Object.assign(payload, { note: 'x'.repeat(MAX_MESSAGE_BYTES + 1024) })),
  'a forbidden name': message.replace('"payload":{', '"payload":{"__proto__":{"attempt":2},'),
});

const sorted = (bodies: readonly string[]): string[] => [...bodies].sort();

/** One batch: eight bodies no worker can run, and two orders beside them. */
async function deliverBesideOrders(make: (run: string, message: string) => Record<string, string>) {
  const sinceMs = Date.now();
  const orders = [await orderWithoutOutbox(), await orderWithoutOutbox()] as const;
  const bad = Object.values(make(uniqueName('run'), orders[0].message));
  await whileNobodyReceives(functionName, () => sendBodies(queueUrl, [orders[0].message, ...bad, orders[1].message]));
  const letters = await waitForLetters(deadLetterQueueUrl, bad.length, (body) => bad.includes(body));
  for (const { userId, orderId } of orders) await waitForStatus(userId, orderId, 'paid');
  const batch = await waitUntil({ what: 'the batch in the log' }, async () => {
    const batches = await loggedBatches(functionName, sinceMs);
    return batches.find((jobs) => jobs.some(({ key }) => key === `capture:${orders[0].userId}/${orders[0].orderId}:1`));
  });
  return { orders, bad, letters, batch };
}

// B18, B04: what cannot be read is set aside alone.
test.each([
  ['that are no message at all', notMessages],
  ['of messages that are wrong', wrongMessages],
] as const)(
  'bodies %s land in the dead-letter queue byte for byte after one delivery, and their batch neighbours are paid',
  async (_, make) => {
    const { orders, bad, letters, batch } = await deliverBesideOrders(make);

    expect(sorted(letters.map(({ body }) => body))).toEqual(sorted(bad));
    expect(letters.map(({ letter }) => letter?.reason)).toEqual(bad.map(() => 'malformed'));
    for (const { letter } of letters)
      expect(letter).toMatchObject({ attempts: 0, detail: expect.any(String), fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) });
    // The one batch took them all in: none came back.
    expect(sorted(batch.map(({ outcome }) => outcome))).toEqual(['committed', 'committed', ...bad.map(() => 'dead-lettered')]);
    for (const { userId, orderId } of orders) expect(await capturesOf(userId, orderId)).toBe(1);
  },
);

test('the reason in a letter names what is wrong and repeats nothing of the body', async () => {
  const secret = uniqueName('4242424242424242');
  const body = changed(captureMessage(secret, 'o-1'), ({ payload }) => Object.assign(payload, { [secret]: secret }));

  await sendBodies(queueUrl, [body]);
  const [found] = await waitForLetters(deadLetterQueueUrl, 1, (candidate) => candidate === body);

  expect(found?.letter).toMatchObject({ reason: 'malformed', detail: '1 unknown field(s) in payload' });
  expect(JSON.stringify(found?.letter)).not.toContain(secret);
});

test('a message for an order that does not exist lands in the dead-letter queue with that reason', async () => {
  const body = captureMessage(uniqueName('nobody'), 'no-order');

  await sendBodies(queueUrl, [body]);

  expect(await waitForLetters(deadLetterQueueUrl, 1, (candidate) => candidate === body)).toMatchObject([
    { body, letter: { reason: 'order-not-found' } },
  ]);
});
