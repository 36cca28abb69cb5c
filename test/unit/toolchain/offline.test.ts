import { createServer } from 'node:http';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';

const refusal = /an offline test tried to reach/;

test('refuses to reach anything beyond this machine, before a name is looked up', async () => {
  await expect(fetch('http://example.com/')).rejects.toMatchObject({ cause: { message: expect.stringMatching(refusal) } });
  await expect(fetch('https://192.0.2.1/')).rejects.toMatchObject({ cause: { message: expect.stringMatching(refusal) } });
  expect(() => connect(443, 'example.com')).toThrow(refusal);
  expect(() => connect({ port: 443, host: '192.0.2.1' })).toThrow(refusal);
  expect(() => connectTls({ port: 443, host: 'example.com' })).toThrow(refusal);
});

test('lets a test talk to a server of its own', async () => {
  const server = createServer((_, response) => response.end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here');
  expect(await (await fetch(`http://localhost:${port}/`)).text()).toBe('here');
  await new Promise((resolve) => server.close(resolve));
});
