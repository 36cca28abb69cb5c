import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { loginByIam } from '#shared/aws/valkey-login.ts';

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Signature Version 4 of a GET with an empty body, by the book. */
function signatureOf(host: string, query: URLSearchParams, secret: string): string {
  const encoded = (text: string): string =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const canonical = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const request = ['GET', '/', canonical, `host:${host}`, '', 'host', sha256('')].join('\n');
  const [, day = '', region = '', service = '', end = ''] = (query.get('X-Amz-Credential') ?? '').split('/');
  const text = ['AWS4-HMAC-SHA256', query.get('X-Amz-Date'), [day, region, service, end].join('/'), sha256(request)].join('\n');
  return hmac(
    [day, region, service, end].reduce<string | Buffer>((key, part) => hmac(key, part), `AWS4${secret}`),
    text,
  ).toString('hex');
}

it('logs in with an address signed for fifteen minutes, with the session of the function and no scheme before it', async () => {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session/+=' };
  const client = createDynamoDbClient({ sdk: { config: { region: 'eu-central-1', credentials } } });
  const { username, password } = await loginByIam(client, { cacheName: 'andal-prod', userName: 'andal-prod' })();
  expect(username).toBe('andal-prod');
  expect(password).toMatch(/^andal-prod\/\?/);
  const { searchParams } = new URL(`http://${password}`);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    Action: 'connect',
    User: 'andal-prod',
    ResourceType: 'ServerlessCache',
    'X-Amz-Expires': '900',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Security-Token': 'session/+=',
    'X-Amz-Credential': expect.stringMatching(/^AKIDEXAMPLE\/\d{8}\/eu-central-1\/elasticache\/aws4_request$/),
  });
  expect(searchParams.get('X-Amz-Signature')).toBe(signatureOf('andal-prod', searchParams, 'secret'));
});
