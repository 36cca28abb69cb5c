import { beforeEach, describe, expect, it } from 'vitest';
import { openSandbox } from './sandbox-bench.ts';

// Cases: B59, B61, B64, B83, B97.

const HOUR_MS = 3_600_000;
let sandbox: ReturnType<typeof openSandbox>;
beforeEach(() => {
  sandbox = openSandbox();
});

describe('an idempotency key at the sandbox', () => {
  it('charges once and gets the first answer again', async () => {
    const first = await sandbox.capture('pi-1', 'k-1', 4999);
    const second = await sandbox.capture('pi-1', 'k-1', 4999);

    expect(first.status).toBe(200);
    expect(first.json).toEqual({ status: 'captured', captureId: expect.any(String), amountMinor: 4999, currency: 'EUR' });
    expect(second.text).toBe(first.text);
    expect(await sandbox.captures()).toHaveLength(1);
  });

  it('is refused with another amount, another intent and another operation', async () => {
    await sandbox.capture('pi-1', 'k-1', 4999);

    const others = [
      await sandbox.capture('pi-1', 'k-1', 5000),
      await sandbox.capture('pi-2', 'k-1', 4999),
      await sandbox.send('POST', '/payment-intents/pi-1/void', { key: 'k-1', body: {} }),
    ];

    expect(others.map(({ status, json }) => [status, json.code])).toEqual(others.map(() => [400, 'idempotency-key-reused']));
    expect(await sandbox.captures()).toHaveLength(1);
  });

  it('is in use while its first call still runs', async () => {
    const release = sandbox.hold();
    const slow = sandbox.capture('pi-1', 'k-1', 90_000_006);
    await expect.poll(() => sandbox.waits.length).toBe(1);

    const meanwhile = await sandbox.capture('pi-1', 'k-1', 90_000_006);
    release();

    expect([meanwhile.status, meanwhile.json.code]).toEqual([409, 'idempotency-key-in-use']);
    expect((await slow).json.status).toBe('captured');
    expect((await sandbox.capture('pi-1', 'k-1', 90_000_006)).text).toBe((await slow).text);
    expect(await sandbox.captures()).toHaveLength(1);
  });

  it('charges once when twenty calls arrive together', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => sandbox.capture('pi-1', 'k-1', 4999)));

    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(await sandbox.captures()).toHaveLength(1);
  });

  it('is remembered for 24 hours with its declines and stored errors, and then forgotten', async () => {
    const declined = await sandbox.capture('pi-1', 'k-1', 90_000_001, 'u-1/ord-1');
    const failed = await sandbox.capture('pi-2', 'k-2', 90_000_005, 'u-1/ord-2');
    await sandbox.capture('pi-3', 'k-3', 4999, 'u-1/ord-3');
    // From now on a forgotten key would get another answer.
    await sandbox.send('POST', '/payment-intents/pi-1/void', { key: 'v-1', body: {} });
    await sandbox.send('POST', '/payment-intents/pi-2/void', { key: 'v-2', body: {} });
    const again = async () => [
      await sandbox.capture('pi-1', 'k-1', 90_000_001, 'u-1/ord-1'),
      await sandbox.capture('pi-2', 'k-2', 90_000_005, 'u-1/ord-2'),
      await sandbox.capture('pi-3', 'k-3', 4999, 'u-1/ord-3'),
    ];

    sandbox.pass(24 * HOUR_MS - 1);
    expect((await again()).slice(0, 2)).toEqual([declined, failed]);
    expect(await sandbox.captures('u-1/ord-3')).toHaveLength(1);

    sandbox.pass(1);
    expect((await again()).slice(0, 2).map(({ json }) => json.reason)).toEqual(['intent-voided', 'intent-voided']);
    expect(await sandbox.captures('u-1/ord-3')).toHaveLength(2);
  });

  it('can be taken over from a call that died before it charged, by the same body only', async () => {
    sandbox.aws.fault = ({ operation }) => (operation === 'TransactWriteItems' ? { error: 'InternalServerError' } : undefined);
    expect((await sandbox.capture('pi-1', 'k-1', 4999)).status).toBe(500);
    sandbox.aws.fault = undefined;

    expect((await sandbox.capture('pi-1', 'k-1', 4999)).status).toBe(409);
    sandbox.pass(30_001);
    expect((await sandbox.capture('pi-1', 'k-1', 5000)).json.code).toBe('idempotency-key-reused');
    expect((await sandbox.capture('pi-1', 'k-1', 4999)).json.status).toBe('captured');
    expect(await sandbox.captures()).toHaveLength(1);
  });

  it('does not let a call that lost it charge beside its successor', async () => {
    const release = sandbox.hold();
    const frozen = sandbox.capture('pi-1', 'k-1', 90_000_006);
    await expect.poll(() => sandbox.waits.length).toBe(1);
    sandbox.pass(30_001);
    const successor = sandbox.capture('pi-1', 'k-1', 90_000_006);
    await expect.poll(() => sandbox.waits.length).toBe(2);
    release();

    const statuses = [(await frozen).status, (await successor).status].toSorted();
    expect(statuses).toEqual([200, 409]);
    expect(await sandbox.captures()).toHaveLength(1);
  });

  it('keeps its answer when the write that charged was applied and its own answer lost', async () => {
    let lost = 0;
    sandbox.aws.fault = ({ operation }) => (operation === 'TransactWriteItems' && lost++ === 0 ? 'apply-then-lose-answer' : undefined);

    const answer = await sandbox.capture('pi-1', 'k-1', 4999);

    expect(answer.json.status).toBe('captured');
    expect(await sandbox.captures()).toHaveLength(1);
  });

  it('goes on when its claim was written and the answer to it lost', async () => {
    let lost = 0;
    sandbox.aws.fault = ({ operation, input }) =>
      operation === 'PutItem' && 'owner' in input.Item && lost++ === 0 ? 'apply-then-lose-answer' : undefined;

    expect((await sandbox.capture('pi-1', 'k-1', 4999)).json.status).toBe('captured');
    expect(lost).toBe(2);
  });
});

describe('a payment intent at the sandbox', () => {
  it('is charged twice under two keys, and the captures of the order show both', async () => {
    await sandbox.capture('pi-1', 'k-1', 4999);
    await sandbox.capture('pi-1', 'k-2', 4999);

    expect(await sandbox.captures()).toEqual([
      { captureId: expect.any(String), paymentIntentId: 'pi-1', key: 'k-1', amountMinor: 4999, currency: 'EUR', atMs: expect.any(Number) },
      expect.objectContaining({ key: 'k-2' }),
    ]);
  });

  it('is not captured before a capture, nor after a decline', async () => {
    expect((await sandbox.find('pi-1')).json).toEqual({ status: 'not-captured' });
    await sandbox.capture('pi-1', 'k-1', 90_000_001);
    expect((await sandbox.find('pi-1')).json).toEqual({ status: 'not-captured' });
  });

  it('is found captured with what was charged', async () => {
    const { json } = await sandbox.capture('pi-1', 'k-1', 4999);
    expect((await sandbox.find('pi-1')).json).toEqual(json);
  });

  it('declines every capture once it is void', async () => {
    const voided = await sandbox.send('POST', '/payment-intents/pi-1/void', { key: 'v-1', body: {} });

    expect(voided.json).toEqual({ status: 'voided' });
    expect((await sandbox.capture('pi-1', 'k-1', 4999)).json).toEqual({ status: 'declined', reason: 'intent-voided' });
    expect((await sandbox.find('pi-1')).json).toEqual({ status: 'voided' });
    expect(await sandbox.captures()).toEqual([]);
  });

  it('declines a capture that was already running when it was voided', async () => {
    const release = sandbox.hold();
    const running = sandbox.capture('pi-1', 'k-1', 90_000_006);
    await expect.poll(() => sandbox.waits.length).toBe(1);
    await sandbox.send('POST', '/payment-intents/pi-1/void', { key: 'v-1', body: {} });
    release();

    expect((await running).json).toEqual({ status: 'declined', reason: 'intent-voided' });
    expect(await sandbox.captures()).toEqual([]);
  });

  it('declines a capture when the void comes between its look and its charge', async () => {
    sandbox.aws.fault = async ({ operation }) => {
      if (operation !== 'TransactWriteItems') return undefined;
      sandbox.aws.fault = undefined;
      await sandbox.send('POST', '/payment-intents/pi-1/void', { key: 'v-1', body: {} });
      return undefined;
    };

    expect((await sandbox.capture('pi-1', 'k-1', 4999)).json).toEqual({ status: 'declined', reason: 'intent-voided' });
    expect(await sandbox.captures()).toEqual([]);
  });

  it('is left captured by a void that comes late', async () => {
    const { json } = await sandbox.capture('pi-1', 'k-1', 4999);
    expect((await sandbox.send('POST', '/payment-intents/pi-1/void', { key: 'v-1', body: {} })).json).toEqual(json);
    expect((await sandbox.find('pi-1')).json).toEqual(json);
  });

  it('gives back what was captured, once a key', async () => {
    const { json } = await sandbox.capture('pi-1', 'k-1', 4999);
    const refund = () => sandbox.send('POST', '/payment-intents/pi-1/refund', { key: 'r-1', body: { amountMinor: 4999, currency: 'EUR' } });

    const refunded = await refund();

    expect(refunded.json).toEqual({ status: 'refunded', refundId: expect.any(String) });
    expect((await refund()).text).toBe(refunded.text);
    expect((await sandbox.find('pi-1')).json).toEqual({ status: 'refunded', captureId: json.captureId, refundId: refunded.json.refundId });
    const account = (await sandbox.send('GET', '/captures', { query: { reference: 'u-1/ord-1' } })).json;
    expect(account.refunds).toEqual([
      {
        captureId: json.captureId,
        refundId: refunded.json.refundId,
        paymentIntentId: 'pi-1',
        key: 'r-1',
        amountMinor: 4999,
        currency: 'EUR',
        atMs: expect.any(Number),
      },
    ]);
  });

  it.each([
    ['not captured', 'pi-2', 4999, 'EUR', 'not-captured'],
    ['captured for less', 'pi-1', 5000, 'EUR', 'amount-exceeds-capture'],
    ['captured in another currency', 'pi-1', 4999, 'USD', 'currency-differs'],
  ])('declines to give back what was %s', async (_, intent, amountMinor, currency, reason) => {
    await sandbox.capture('pi-1', 'k-1', 4999);
    const { json } = await sandbox.send('POST', `/payment-intents/${intent}/refund`, { key: 'r-1', body: { amountMinor, currency } });
    expect(json).toEqual({ status: 'declined', reason });
  });

  it('keeps every request with operation, key and body hash, refused ones too', async () => {
    await sandbox.capture('pi-1', 'k-1', 4999);
    await sandbox.capture('pi-1', 'k-1', 4999);
    await sandbox.capture('pi-1', 'k-1', 5000);
    await sandbox.find('pi-1');

    const { items } = (await sandbox.send('GET', '/payment-intents/pi-1/requests')).json;

    expect(items.map(({ operation, key }: { operation: string; key?: string }) => [operation, key])).toEqual([
      ['capture', 'k-1'],
      ['capture', 'k-1'],
      ['capture', 'k-1'],
      ['find', undefined],
    ]);
    expect(items[0].bodyHash).toBe(items[1].bodyHash);
    expect(items[0].bodyHash).not.toBe(items[2].bodyHash);
  });
});

describe('the evidence of the sandbox', () => {
  it('lists the requests of an intent page by page, oldest first', async () => {
    sandbox = openSandbox({ pageSize: 2 });
    for (const key of ['k-1', 'k-2', 'k-3']) {
      await sandbox.capture('pi-1', key, 4999);
      sandbox.pass(1);
    }

    const first = (await sandbox.send('GET', '/payment-intents/pi-1/requests')).json;
    const rest = (await sandbox.send('GET', '/payment-intents/pi-1/requests', { query: { after: first.next } })).json;

    expect([...first.items, ...rest.items].map(({ key }) => key)).toEqual(['k-1', 'k-2', 'k-3']);
    expect(rest).not.toHaveProperty('next');
  });

  it('counts captures per order under a prefix, page by page', async () => {
    sandbox = openSandbox({ pageSize: 7 });
    const orders = Array.from({ length: 12 }, (_, index) => `demo-1/ord-${String(index).padStart(5, '0')}`);
    await Promise.all(orders.map((reference) => sandbox.capture(`pi-${reference.replace('/', '-')}`, `k:${reference}`, 4999, reference)));
    await sandbox.capture('pi-demo-1-ord-00007', 'another-key', 4999, 'demo-1/ord-00007');
    await sandbox.capture('pi-x', 'k-x', 4999, 'other-1/ord-1');

    const first = (await sandbox.send('GET', '/captures/summary', { query: { prefix: 'demo-' } })).json;
    const rest = (await sandbox.send('GET', '/captures/summary', { query: { prefix: 'demo-', after: first.next } })).json;

    const items = [...first.items, ...rest.items];
    expect(items.map(({ reference }) => reference)).toEqual(orders);
    expect(items.filter(({ captures }) => captures !== 1)).toEqual([{ reference: 'demo-1/ord-00007', captures: 2, refunds: 0 }]);
    expect(rest).not.toHaveProperty('next');
  });

  it('counts all orders when no prefix is given', async () => {
    await sandbox.capture('pi-1', 'k-1', 4999);
    expect((await sandbox.send('GET', '/captures/summary')).json.items).toEqual([{ reference: 'u-1/ord-1', captures: 1, refunds: 0 }]);
  });
});

describe('an outage of the sandbox', () => {
  it.each([
    ['refuse', 429],
    ['503', 503],
    ['hang', 504],
  ])('in mode %s answers every call %i, charges nothing and is over by itself', async (mode, status) => {
    const untilMs = Date.UTC(2026, 10, 30) + HOUR_MS;
    await sandbox.send('PUT', '/faults', { body: { mode, untilMs } });

    expect([(await sandbox.capture('pi-1', 'k-1', 4999)).status, (await sandbox.find('pi-1')).status]).toEqual([status, status]);
    expect((await sandbox.send('GET', '/faults')).json).toEqual({ mode, untilMs });
    expect(await sandbox.captures()).toEqual([]);

    sandbox.pass(HOUR_MS);
    expect((await sandbox.capture('pi-1', 'k-1', 4999)).status).toBe(200);
  });

  it('ends when it is switched off', async () => {
    await sandbox.send('PUT', '/faults', { body: { mode: '503', untilMs: Date.UTC(2027, 0, 1) } });
    await sandbox.send('PUT', '/faults', { body: { mode: 'none' } });
    expect((await sandbox.capture('pi-1', 'k-1', 4999)).status).toBe(200);
  });
});

describe('bad input to the sandbox', () => {
  const path = '/payment-intents/pi-1/capture';
  const body = { reference: 'u-1/ord-1', amountMinor: 4999, currency: 'EUR' };
  it.each([
    ['no key', 'POST', path, { body }, 400],
    ['a key with spaces', 'POST', path, { key: 'a b', body }, 400],
    ['no body', 'POST', path, { key: 'k' }, 400],
    ['a body cut off', 'POST', path, { key: 'k', rawBody: '{"amountMinor":40000000' }, 400],
    ['a body too large', 'POST', path, { key: 'k', rawBody: `"${'x'.repeat(17_000)}"` }, 400],
    ['an array', 'POST', path, { key: 'k', body: [] }, 400],
    ['an unknown field', 'POST', path, { key: 'k', body: { ...body, cardNumber: '4000000000000002' } }, 400],
    ['an amount in text', 'POST', path, { key: 'k', body: { ...body, amountMinor: '4999' } }, 400],
    ['a broken amount', 'POST', path, { key: 'k', body: { ...body, amountMinor: 49.99 } }, 400],
    ['a negative amount', 'POST', path, { key: 'k', body: { ...body, amountMinor: -1 } }, 400],
    ['an amount of nothing', 'POST', path, { key: 'k', body: { ...body, amountMinor: 0 } }, 400],
    ['an amount beyond safe integers', 'POST', path, { key: 'k', rawBody: JSON.stringify(body).replace('4999', '9007199254740993') }, 400],
    ['an unknown currency', 'POST', path, { key: 'k', body: { ...body, currency: 'XYZ' } }, 400],
    ['a reference that is a number', 'POST', path, { key: 'k', body: { ...body, reference: 12_345 } }, 400],
    ['a void with a field', 'POST', '/payment-intents/pi-1/void', { key: 'k', body: { amountMinor: 1 } }, 400],
    ['captures of no order', 'GET', '/captures', {}, 400],
    ['a strange prefix', 'GET', '/captures/summary', { query: { prefix: '%' } }, 400],
    ['a strange fault', 'PUT', '/faults', { body: { mode: 'explode' } }, 400],
    ['an unknown path', 'GET', '/payment-intents/pi-1/card', {}, 404],
    ['an intent with a strange name', 'GET', '/payment-intents/pi%201', {}, 404],
    ['an unknown method', 'DELETE', '/payment-intents/pi-1', {}, 404],
  ])('is answered with a problem document for %s, and nothing is charged', async (_, method, target, sent, status) => {
    const answer = await sandbox.send(method, target, sent);

    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json).toEqual({
      type: expect.any(String),
      title: expect.any(String),
      status,
      code: expect.any(String),
      detail: expect.any(String),
    });
    expect(await sandbox.captures()).toEqual([]);
  });

  it('appears in no answer and no log line', async () => {
    const secret = { cardNumber: '4000000000000002', email: 'person@example.test' };
    const answers = [
      await sandbox.send('POST', path, { key: 'k-1', body: { ...body, ...secret } }),
      await sandbox.send('POST', path, { key: 'k-2', rawBody: `{"cardNumber":"4000000000000002` }),
      await sandbox.send('POST', path, { key: 'k-3', body: { ...body, currency: 'person@example.test' } }),
    ];

    const told = JSON.stringify([answers, sandbox.lines]);
    expect(told).not.toMatch(/4000000000|example\.test|cardNumber/);
  });

  it('is understood in base64 as the gateway sends it', async () => {
    const answer = await sandbox.send('POST', path, {
      key: 'k',
      rawBody: Buffer.from(JSON.stringify(body)).toString('base64'),
      isBase64Encoded: true,
    });
    expect(answer.json.status).toBe('captured');
  });
});

it('answers 500 without a word about the cause when its table fails, and logs the kind of error', async () => {
  sandbox.aws.fault = ({ operation }) => (operation === 'TransactWriteItems' ? { error: 'ResourceNotFoundException' } : undefined);

  const answer = await sandbox.capture('pi-1', 'k-1', 4999);

  expect([answer.status, answer.json.code]).toEqual([500, 'internal-error']);
  expect(answer.text).not.toMatch(/ResourceNotFound|at .*\.ts/);
  expect(sandbox.lines).toEqual([
    { operation: 'capture', paymentIntentId: 'pi-1', status: 500, durationMs: 0, failure: 'ResourceNotFoundException' },
  ]);
});
