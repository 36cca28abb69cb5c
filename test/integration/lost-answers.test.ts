import { expect, test } from 'vitest';
import { type PaymentPort, ProviderError } from '#shared/payments/payment-port.ts';
import { PermanentError } from '#shared/worker/outcome.ts';
import { createLostAnswers } from '../support/integration/lost-answers.ts';
import { uniqueName } from '../support/integration/names.ts';
import { createOwnPipeline } from '../support/integration/own-pipeline.ts';
import { capturesOf, createPayments } from '../support/integration/provider.ts';

// B53: the table carries out a conditional write, its answer is lost, and the SDK's silent repetition is refused by the first one's effect.

async function unreliable() {
  const answers = createLostAnswers();
  const pipeline = await createOwnPipeline({ createRequestHandler: () => answers.requestHandler });
  return { answers, pipeline };
}

async function acceptedOrder() {
  const { answers, pipeline } = await unreliable();
  const { order } = await pipeline.accept();
  const [message = ''] = await pipeline.outbox(order.userId, order.orderId);
  return { answers, pipeline, userId: order.userId, orderId: order.orderId, message };
}

/** The write that follows the provider's answer loses its own. */
const losingWhatFollows = (answers: ReturnType<typeof createLostAnswers>, end: () => void = () => {}): PaymentPort => {
  const payments = createPayments();
  return {
    ...payments,
    async capture(request, call) {
      const answer = await payments.capture(request, call);
      answers.loseNext();
      end();
      return answer;
    },
  };
};

test('an accepted order whose answer was lost is still answered as new, once', async () => {
  const { answers, pipeline } = await unreliable();
  const request = { idempotencyKey: 'k', userId: uniqueName('u') };
  answers.loseNext();

  const { status, order } = await pipeline.accept(request);

  expect({ status, lost: answers.lost, carriedOut: answers.carriedOut }).toEqual({ status: 202, lost: 1, carriedOut: 2 });
  expect(await pipeline.order(order.userId, order.orderId)).toMatchObject({ version: 1, status: 'pending_payment' });
  expect(await pipeline.accept(request)).toMatchObject({ status: 200, order: { orderId: order.orderId } });
});

test('a claim whose answer was lost is recognised as our own and spends one attempt', async () => {
  const { answers, pipeline, userId, orderId, message } = await acceptedOrder();
  answers.loseNext();

  const { outcomes } = await pipeline.deliver([message]);

  expect({ outcomes, lost: answers.lost }).toEqual({ outcomes: ['committed'], lost: 1 });
  expect(await pipeline.order(userId, orderId)).toMatchObject({ status: 'paid', version: 2, fence: 1, 'op:capture:1': { tries: 1 } });
  expect(await capturesOf(userId, orderId)).toBe(1);
});

test('a commit whose answer was lost is recognised as done and happens once', async () => {
  const { answers, pipeline, userId, orderId, message } = await acceptedOrder();

  const { outcomes, handedBack } = await pipeline.deliver([message], { payments: losingWhatFollows(answers) });

  expect({ outcomes, handedBack, lost: answers.lost }).toEqual({ outcomes: ['committed'], handedBack: [], lost: 1 });
  expect(await pipeline.order(userId, orderId)).toMatchObject({ status: 'paid', version: 2, lease: 'free' });
  expect(await pipeline.outbox(userId, orderId)).toHaveLength(1);
});

test('a settle whose answer was lost frees the item once, and the order is paid by the next run', async () => {
  const { answers, pipeline, userId, orderId, message } = await acceptedOrder();
  const unknown = () => {
    throw new ProviderError('provider-timeout', { sent: 'maybe' });
  };

  const { outcomes, handedBack } = await pipeline.deliver([message], { payments: losingWhatFollows(answers, unknown) });

  expect({ outcomes, handedBack, lost: answers.lost }).toEqual({ outcomes: ['unknown'], handedBack: [message], lost: 1 });
  expect(await pipeline.order(userId, orderId)).toMatchObject({ lease: 'free', 'try:capture:1': 1, 'sent:capture:1': 1 });
  pipeline.clock.advance(60_000);
  expect((await pipeline.deliver([message], { receiveCount: 2 })).outcomes).toEqual(['committed']);
  expect(await capturesOf(userId, orderId)).toBe(1);
});

test('a settle that gives an attempt back gives back one, although its answer was lost', async () => {
  const { answers, pipeline, userId, orderId, message } = await acceptedOrder();
  const payments: PaymentPort = {
    ...createPayments(),
    capture: () => {
      answers.loseNext();
      return Promise.reject(new ProviderError('provider-rate-limited', { sent: 'no' }));
    },
  };

  await pipeline.deliver([message], { payments });

  expect(answers.lost).toBe(1);
  expect(await pipeline.order(userId, orderId)).toMatchObject({ lease: 'free', 'try:capture:1': 0, 'sent:capture:1': 0 });
});

test('a discard whose answer was lost sends one letter', async () => {
  const { answers, pipeline, userId, orderId, message } = await acceptedOrder();
  const refused = () => {
    throw new PermanentError('refused-for-good');
  };

  const { outcomes } = await pipeline.deliver([message], { payments: losingWhatFollows(answers, refused) });

  expect({ outcomes, lost: answers.lost }).toEqual({ outcomes: ['dead-lettered'], lost: 1 });
  expect(pipeline.letters.map(({ body, letter }) => ({ body, reason: letter.reason }))).toEqual([
    { body: message, reason: 'refused-for-good' },
  ]);
  expect(await pipeline.order(userId, orderId)).toMatchObject({ lease: 'free', 'op:capture:1': { status: 'discarded', buried: true } });
});
