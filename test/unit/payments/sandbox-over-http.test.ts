import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { createSandboxClient } from '#shared/payments/sandbox-client.ts';
import { openLocalProvider } from './local-provider.ts';
import { eventOf, openSandbox } from './sandbox-bench.ts';

// Cases: B62, B64. The client and the service together, over a real connection.

let local: Awaited<ReturnType<typeof openLocalProvider>>;
let sandbox: ReturnType<typeof openSandbox>;
let release: () => void;
beforeEach(async () => {
  local = await openLocalProvider();
  sandbox = openSandbox();
  release = sandbox.hold();
  local.provider.behave = async (response, request, rawBody) => {
    const key = request.headers['idempotency-key'];
    const result = await sandbox.handle(
      eventOf(request.method ?? '', request.url ?? '', { rawBody, ...(key === undefined ? {} : { key: String(key) }) }),
    );
    response.writeHead(result.statusCode ?? 0, result.headers as Record<string, string>).end(result.body);
  };
});
afterEach(async () => {
  release();
  await local.close();
});

/** A withheld answer is not waited for any longer than it takes to see that it is withheld. */
const patience = (expected: string): number => (expected.startsWith('provider-timeout') ? 150 : 5_000);
const ask = () => createSandboxClient({ baseUrl: local.baseUrl, fetch: globalThis.fetch });
const brief = (call: Promise<{ status: string }>): Promise<string> =>
  call.then(
    ({ status }) => status,
    (error: unknown) => (error instanceof ProviderError ? `${error.code}, sent ${error.sent}` : String(error)),
  );

it.each<[keyof typeof MAGIC_AMOUNTS, string, string, string]>([
  ['decline', 'declined', 'not-captured', 'declined'],
  ['chargedButTimeout', 'provider-timeout, sent maybe', 'captured', 'captured'],
  ['chargedButTimeoutAlways', 'provider-timeout, sent maybe', 'captured', 'provider-timeout, sent maybe'],
  ['notChargedTimeout', 'provider-timeout, sent maybe', 'not-captured', 'captured'],
  ['stored500', 'provider-answered-500, sent maybe', 'not-captured', 'provider-answered-500, sent maybe'],
  ['slow', 'provider-timeout, sent maybe', 'not-captured', 'idempotency-key-in-use, sent maybe'],
  ['rateLimitedOnce', 'provider-rate-limited, sent no', 'not-captured', 'captured'],
  ['unavailableOnce', 'provider-answered-503, sent maybe', 'not-captured', 'captured'],
  ['keyInUseOnce', 'idempotency-key-in-use, sent maybe', 'not-captured', 'captured'],
  ['gatewayTimeoutAfterCharge', 'provider-answered-504, sent maybe', 'captured', 'captured'],
  ['htmlAfterCharge', 'provider-answered-502, sent maybe', 'captured', 'captured'],
  ['cutOffAfterCharge', 'provider-answer-unreadable, sent maybe', 'captured', 'captured'],
  ['wrongAmount', 'captured', 'captured', 'captured'],
  ['findUnavailable', 'provider-answered-504, sent maybe', 'provider-answered-503, sent maybe', 'captured'],
])('%s: a capture sees "%s", asking "%s", a second capture "%s"', async (name, first, found, second) => {
  const { amountMinor } = MAGIC_AMOUNTS[name];
  const request = { idempotencyKey: 'k-1', paymentIntentId: 'pi-1', reference: 'u-1/ord-1', amountMinor, currency: 'EUR' };

  expect(await brief(ask().capture(request, { timeoutMs: patience(first) }))).toBe(first);
  await expect.poll(() => sandbox.waits.length).toBe(first.startsWith('provider-timeout') ? 1 : 0);
  expect(await brief(ask().find(request, { timeoutMs: patience(found) }))).toBe(found);
  expect(await brief(ask().capture(request, { timeoutMs: patience(second) }))).toBe(second);
});

it('closes an intent and gives a capture back', async () => {
  const call = { timeoutMs: 5_000 };
  const request = { idempotencyKey: 'k-1', paymentIntentId: 'pi-1', reference: 'u-1/ord-1', amountMinor: 4999, currency: 'EUR' };
  await ask().capture(request, call);

  expect(await ask().refund({ ...request, idempotencyKey: 'r-1' }, call)).toMatchObject({ status: 'refunded' });
  expect(await ask().find(request, call)).toMatchObject({ status: 'refunded' });
  expect(await ask().void({ paymentIntentId: 'pi-2', idempotencyKey: 'v-1' }, call)).toEqual({ status: 'voided' });
});
