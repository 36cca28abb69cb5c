import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { signedFetch } from '#shared/aws/signed-fetch.ts';

const client = new DynamoDBClient({
  region: 'eu-central-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'of-a-role' },
});

async function sent(request: Request): Promise<Request> {
  const seen: Request[] = [];
  const answered = await signedFetch(client, async (one) => {
    seen.push(one as Request);
    return new Response('answered');
  })(request);
  expect(await answered.text()).toBe('answered');
  return seen[0]!;
}

it('signs for the API of its region with the credentials of the client, and says which session they are from', async () => {
  const { headers } = await sent(new Request('https://id.execute-api.eu-central-1.amazonaws.com/payment-intents/pi_1'));
  expect(headers.get('authorization')).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/execute-api\/aws4_request, SignedHeaders=host;.*Signature=[0-9a-f]{64}$/,
  );
  expect(headers.get('x-amz-security-token')).toBe('of-a-role');
});

it('sends what it signed: method, body, own headers and the end of patience are those of the request', async () => {
  const patience = new AbortController();
  const body = JSON.stringify({ amountMinor: 100 });
  const headers = { 'idempotency-key': 'a key', 'content-type': 'application/json' };
  const url = 'https://id.execute-api.eu-central-1.amazonaws.com/payment-intents/pi_1/capture?a=1';
  const request = await sent(new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal: patience.signal }));
  expect([request.url, request.method, request.redirect, await request.text()]).toEqual([url, 'POST', 'manual', body]);
  expect(request.headers.get('authorization')).toMatch(/SignedHeaders=content-type;host;idempotency-key;/);
  expect([request.headers.get('idempotency-key'), request.headers.get('content-type')]).toEqual(['a key', 'application/json']);
  patience.abort();
  expect(request.signal.aborted).toBe(true);
});

it('signs another body with another signature', async () => {
  const post = (body: string) => sent(new Request('https://id.execute-api.eu-central-1.amazonaws.com/x', { method: 'POST', body }));
  const [one, other] = await Promise.all([post('1'), post('2')]);
  expect(one?.headers.get('authorization')).not.toBe(other?.headers.get('authorization'));
});
