import { afterEach, expect, test, vi } from 'vitest';
import { defaultProvider } from '#shared/runtime/environment-credentials.ts';

afterEach(() => vi.unstubAllEnvs());

test('a function signs with what Lambda put into its environment, as it is at that moment', async () => {
  const provide = defaultProvider();
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'ASIA1');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'token');
  expect(await provide()).toEqual({ accessKeyId: 'ASIA1', secretAccessKey: 'secret', sessionToken: 'token' });
});

test('without them it says so and tries nothing else', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', '');
  await expect(defaultProvider()()).rejects.toThrow('no AWS credentials');
});
