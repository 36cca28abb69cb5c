import { createServer as createTcpServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { createSandboxClient } from '#shared/payments/sandbox-client.ts';
import { openLocalProvider } from './local-provider.ts';

// Cases: B59, B62, B64, B83.

let local: Awaited<ReturnType<typeof openLocalProvider>>;
beforeEach(async () => {
  local = await openLocalProvider();
});
afterEach(() => local.close());

const ORDER = {
  idempotencyKey: 'capture:u-1/ord-1:1',
  paymentIntentId: 'pi-ord-1-1',
  reference: 'u-1/ord-1',
  amountMinor: 4999,
  currency: 'EUR',
};
const CAPTURED = { status: 'captured', captureId: 'cap-1', amountMinor: 4999, currency: 'EUR' };
const LONG_MS = 5_000;
/** Long enough for a local connection, short enough to wait for. */
const SHORT_MS = 150;

const client = (fetch: (request: Request) => Promise<Response> = globalThis.fetch, baseUrl = local.baseUrl) =>
  createSandboxClient({ baseUrl, fetch });
const answers = (status: number, body: string, headers: Record<string, string> = {}) => {
  local.provider.behave = (response) => response.writeHead(status, headers).end(body);
};
const answersJson = (status: number, value: unknown, headers: Record<string, string> = {}) =>
  answers(status, JSON.stringify(value), headers);

async function captureError(payments = client(), timeoutMs = LONG_MS): Promise<ProviderError> {
  const error = await payments.capture(ORDER, { timeoutMs }).catch((reason: unknown) => reason);
  if (!(error instanceof ProviderError)) throw new Error('the call did not end in a ProviderError', { cause: error });
  return error;
}
const verdict = ({ code, sent, permanent, retryAfterMs }: ProviderError) => ({ code, sent, permanent, retryAfterMs });

describe('an answer', () => {
  it('is returned when a capture succeeded, was declined, or was of another amount', async () => {
    const ends = [CAPTURED, { status: 'declined', reason: 'card-declined' }, { ...CAPTURED, amountMinor: 1, currency: 'USD' }];
    for (const end of ends) {
      answersJson(200, end);
      expect(await client().capture(ORDER, { timeoutMs: LONG_MS })).toEqual(end);
    }
  });

  it('is returned in each form of find, void and refund', async () => {
    const call = { timeoutMs: LONG_MS };
    for (const end of [
      CAPTURED,
      { status: 'refunded', captureId: 'cap-1', refundId: 'ref-1' },
      { status: 'not-captured' },
      { status: 'voided' },
    ]) {
      answersJson(200, end);
      expect(await client().find(ORDER, call)).toEqual(end);
      expect(await client().void(ORDER, call)).toEqual(end);
    }
    for (const end of [
      { status: 'refunded', refundId: 'ref-1' },
      { status: 'declined', reason: 'not-captured' },
    ]) {
      answersJson(200, end);
      expect(await client().refund(ORDER, call)).toEqual(end);
    }
  });

  it('is asked for with one request a call, on the paths of the provider', async () => {
    const call = { timeoutMs: LONG_MS };
    answersJson(503, {});
    await client(undefined, `${local.baseUrl}/stage/`)
      .capture(ORDER, call)
      .catch(() => {});
    await client()
      .find(ORDER, call)
      .catch(() => {});
    await client()
      .void(ORDER, call)
      .catch(() => {});
    await client()
      .refund(ORDER, call)
      .catch(() => {});

    expect(local.received.map(({ method, path, key }) => [method, path, key])).toEqual([
      ['POST', '/stage/payment-intents/pi-ord-1-1/capture', ORDER.idempotencyKey],
      ['GET', '/payment-intents/pi-ord-1-1', undefined],
      ['POST', '/payment-intents/pi-ord-1-1/void', ORDER.idempotencyKey],
      ['POST', '/payment-intents/pi-ord-1-1/refund', ORDER.idempotencyKey],
    ]);
  });

  it('is asked for with the same key and the same bytes each time, also after conflicts and in another order of fields', async () => {
    let calls = 0;
    local.provider.behave = (response) =>
      ++calls <= 2 ? response.writeHead(409).end('{}') : response.writeHead(200).end(JSON.stringify(CAPTURED));
    const { currency, amountMinor, reference, paymentIntentId, idempotencyKey } = ORDER;

    await captureError();
    await captureError();
    const answer = await client().capture({ currency, amountMinor, reference, paymentIntentId, idempotencyKey }, { timeoutMs: LONG_MS });

    expect(answer).toEqual(CAPTURED);
    expect(new Set(local.received.map(({ key, bytes }) => `${key} ${bytes}`)).size).toBe(1);
    expect(JSON.parse(local.received[2]?.bytes ?? '')).toEqual({ reference, amountMinor, currency });
  });
});

describe('a status', () => {
  it.each([
    [429, {}, 'provider-rate-limited', 'no', false],
    [401, {}, 'provider-authentication', 'no', false],
    [403, {}, 'provider-authentication', 'no', false],
    [404, {}, 'provider-endpoint-unknown', 'no', false],
    [405, {}, 'provider-endpoint-unknown', 'no', false],
    [409, { code: 'idempotency-key-in-use' }, 'idempotency-key-in-use', 'maybe', false],
    [409, { code: 'something-else' }, 'idempotency-key-in-use', 'maybe', false],
    [400, { code: 'idempotency-key-reused' }, 'idempotency-key-reused', 'maybe', true],
    [400, { code: 'request-invalid' }, 'provider-rejected-request', 'no', true],
    [400, { detail: 'idempotency-key-reused' }, 'provider-rejected-request', 'no', true],
    [413, {}, 'provider-rejected-request', 'no', true],
    [422, {}, 'provider-rejected-request', 'no', true],
    [301, {}, 'provider-answered-301', 'maybe', false],
    [408, {}, 'provider-answered-408', 'maybe', false],
    [418, {}, 'provider-answered-418', 'maybe', false],
    [500, {}, 'provider-answered-500', 'maybe', false],
    [502, {}, 'provider-answered-502', 'maybe', false],
    [503, {}, 'provider-answered-503', 'maybe', false],
    [504, {}, 'provider-answered-504', 'maybe', false],
    [599, {}, 'provider-answered-599', 'maybe', false],
  ])('of %i with %o means %s, sent: %s, permanent: %s', async (status, body, code, sent, permanent) => {
    answersJson(status, body, { location: '/elsewhere' });
    expect(verdict(await captureError())).toEqual({ code, sent, permanent, retryAfterMs: undefined });
    expect(local.received).toHaveLength(1);
  });

  it('of 502 with a web page is an unknown outcome', async () => {
    answers(502, '<html><h1>Bad Gateway</h1></html>', { 'content-type': 'text/html' });
    expect(verdict(await captureError())).toMatchObject({ code: 'provider-answered-502', sent: 'maybe', permanent: false });
  });

  it.each([
    ['429, seconds', 429, { 'retry-after': '7' }, 7_000],
    ['503, seconds', 503, { 'retry-after': '1200' }, 1_200_000],
    ['409, seconds', 409, { 'retry-after': '0' }, 0],
    ['a date', 429, { 'retry-after': 'Mon, 30 Nov 2026 10:00:30 GMT', date: 'Mon, 30 Nov 2026 10:00:00 GMT' }, 30_000],
    ['a date gone by', 429, { 'retry-after': 'Mon, 30 Nov 2026 09:00:00 GMT', date: 'Mon, 30 Nov 2026 10:00:00 GMT' }, 0],
    ['a fraction', 429, { 'retry-after': '7.5' }, undefined],
    ['a negative number', 503, { 'retry-after': '-1' }, undefined],
    ['words', 503, { 'retry-after': 'soon' }, undefined],
    ['more seconds than a date can hold', 503, { 'retry-after': '9'.repeat(400) }, undefined],
  ])('with Retry-After (%s) says how long to wait', async (_, status, headers, retryAfterMs) => {
    answersJson(status, {}, headers as unknown as Record<string, string>);
    expect((await captureError()).retryAfterMs).toBe(retryAfterMs);
  });
});

describe('an answer nobody can use', () => {
  it.each([
    ['an empty body', ''],
    ['half of the document', JSON.stringify(CAPTURED).slice(0, 30)],
    ['a web page', '<html></html>'],
    ['null', 'null'],
    ['another shape', JSON.stringify({ ok: true })],
    ['an unknown status', JSON.stringify({ ...CAPTURED, status: 'succeeded' })],
    ['no capture id', JSON.stringify({ ...CAPTURED, captureId: undefined })],
    ['an amount in text', JSON.stringify({ ...CAPTURED, amountMinor: '4999' })],
    ['an amount beyond safe integers', JSON.stringify(CAPTURED).replace('4999', '9007199254740993')],
    ['a field too many', JSON.stringify({ ...CAPTURED, cardNumber: '4000000000000002' })],
  ])('leaves the outcome unknown: 200 with %s', async (_, body) => {
    answers(200, body);
    expect(verdict(await captureError())).toEqual({
      code: 'provider-answer-unreadable',
      sent: 'maybe',
      permanent: false,
      retryAfterMs: undefined,
    });
  });

  it('leaves the outcome unknown when the connection ends in the middle of a 200', async () => {
    local.provider.behave = (response) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write(JSON.stringify(CAPTURED), () => response.destroy());
    };
    expect(verdict(await captureError())).toMatchObject({ code: 'provider-connection-lost', sent: 'maybe', permanent: false });
  });

  it('leaves the outcome unknown when the socket is reset after the request was read', async () => {
    local.provider.behave = (_, request) => request.socket.resetAndDestroy();
    expect(verdict(await captureError())).toMatchObject({ code: 'provider-connection-lost', sent: 'maybe', permanent: false });
    expect(local.received).toHaveLength(1);
  });

  it('leaves the outcome unknown when what comes back is not HTTP', async () => {
    local.provider.behave = (_, request) => request.socket.end('cardNumber 4000000000000002\r\n\r\n');
    const error = await captureError();
    expect(verdict(error)).toMatchObject({ code: 'provider-connection-lost', sent: 'maybe' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('4000000000000002');
  });

  it.each([
    ['before the headers', () => {}],
    ['in the middle of the body', (response: { write(part: string): unknown }) => void response.write('{"status":')],
  ])('leaves the outcome unknown when the provider falls silent %s', async (_, behave) => {
    local.provider.behave = behave;
    expect(verdict(await captureError(client(), SHORT_MS))).toMatchObject({ code: 'provider-timeout', sent: 'maybe', permanent: false });
  });

  it('keeps its time limit when it is a fraction of a millisecond', async () => {
    local.provider.behave = () => {};
    expect((await captureError(client(), SHORT_MS + 0.5)).code).toBe('provider-timeout');
  });

  it('leaves the outcome unknown when the caller ends the call, and sends nothing when it had ended before', async () => {
    const controller = new AbortController();
    local.provider.behave = () => controller.abort();
    const call = { timeoutMs: LONG_MS, signal: controller.signal };

    const during = await client()
      .capture(ORDER, call)
      .catch((reason: unknown) => reason);
    const after = await client()
      .capture(ORDER, call)
      .catch((reason: unknown) => reason);

    expect(verdict(during as ProviderError)).toMatchObject({ code: 'call-abandoned', sent: 'maybe' });
    expect(verdict(after as ProviderError)).toMatchObject({ code: 'call-abandoned', sent: 'no' });
    expect(local.received).toHaveLength(1);
  });
});

describe('the time limit', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const untilAborted = ({ signal }: Request): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  it('belongs to whoever owns the timers, and a fraction of a millisecond is rounded up', async () => {
    const ended = vi.fn();
    const error = captureError(client(untilAborted), 30_000.5).finally(ended);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(verdict(await error)).toMatchObject({ code: 'provider-timeout', sent: 'maybe' });
  });

  it.each([
    ['an answer', () => Promise.resolve(Response.json(CAPTURED)), {}],
    ['a refusal', () => Promise.resolve(Response.json({}, { status: 500 })), {}],
    ['a failure', () => Promise.reject(new TypeError('fetch failed')), {}],
    ['a request that cannot be written', untilAborted, { idempotencyKey: 'two\nlines' }],
    ['a call that had ended before', untilAborted, { signal: AbortSignal.abort() }],
  ])('leaves no timer behind after %s', async (_, fetch, { signal, ...changes }: { signal?: AbortSignal; idempotencyKey?: string }) => {
    const call = { timeoutMs: LONG_MS, ...(signal === undefined ? {} : { signal }) };
    await client(fetch)
      .capture({ ...ORDER, ...changes }, call)
      .catch(() => {});
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a request that never left', () => {
  it('is known not to have been sent when the connection is refused', async () => {
    await local.close();
    expect(verdict(await captureError())).toEqual({ code: 'provider-unreachable', sent: 'no', permanent: false, retryAfterMs: undefined });
  });

  it('is known not to have been sent when the handshake meets no TLS', async () => {
    const error = await captureError(client(undefined, local.baseUrl.replace('http:', 'https:')));
    expect(verdict(error)).toMatchObject({ code: 'provider-unreachable', sent: 'no' });
    expect(local.received).toEqual([]);
  });

  it('counts as possibly sent when the connection ends during the handshake, which looks like any reset', async () => {
    const server = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect((await captureError(client(undefined, `https://127.0.0.1:${port}`))).sent).toBe('maybe');
    server.close();
  });

  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EAI_FAIL',
    'UND_ERR_CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('is known not to have been sent for %s', async (code) => {
    const cause = Object.assign(new Error('the message says nothing'), { code });
    const error = await captureError(client(() => Promise.reject(new TypeError('fetch failed', { cause }))));
    expect(verdict(error)).toMatchObject({ code: 'provider-unreachable', sent: 'no', permanent: false });
  });

  it.each([
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'UND_ERR_SOCKET',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
    'HPE_INVALID_CONSTANT',
  ])('may have been sent for %s, whatever its message says', async (code) => {
    const cause = Object.assign(new Error('connect ECONNREFUSED ENOTFOUND'), { code });
    const error = await captureError(client(() => Promise.reject(new TypeError('fetch failed', { cause }))));
    expect(verdict(error)).toMatchObject({ code: 'provider-connection-lost', sent: 'maybe' });
  });

  it('is known not to have been sent when no address of the provider can be connected to, but not when one of several failures is of another kind', async () => {
    const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    const noAnswer = Object.assign(new Error('no'), { code: 'ETIMEDOUT', syscall: 'connect' });
    const reset = Object.assign(new Error('no'), { code: 'ECONNRESET', syscall: 'read' });
    const failWith = (errors: Error[]) =>
      captureError(
        client(() =>
          Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' }) })),
        ),
      );

    expect((await failWith([refused, noAnswer])).sent).toBe('no');
    expect((await failWith([refused, reset])).sent).toBe('maybe');
  });

  it.each([undefined, null, 'text', 42, new Error('plain'), Object.assign(new Error('loop'), { cause: undefined })])(
    'may have been sent when what was thrown is %o',
    async (thrown) => {
      const error = await captureError(client(() => Promise.reject(thrown)));
      expect(verdict(error)).toMatchObject({ code: 'provider-connection-lost', sent: 'maybe' });
    },
  );

  it('is wrong for good when its key cannot be a header', async () => {
    const error = await client()
      .capture({ ...ORDER, idempotencyKey: 'two\nlines' }, { timeoutMs: LONG_MS })
      .catch((reason: unknown) => reason);
    expect(verdict(error as ProviderError)).toMatchObject({ code: 'request-malformed', sent: 'no', permanent: true });
    expect(local.received).toEqual([]);
  });
});

it('tells nothing of a body in its errors', async () => {
  const secret = JSON.stringify({ code: 'idempotency-key-reused', detail: 'card 4000000000000002 of person@example.test' });
  const bodies: [number, string][] = [
    [400, secret],
    [422, secret],
    [500, secret],
    [200, secret],
    [200, secret.slice(0, 60)],
  ];
  for (const [status, body] of bodies) {
    answers(status, body);
    const error = await captureError();
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/4000000000000002|example\.test/);
  }
});
