import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly bytes: string;
}
type Behave = (response: ServerResponse, request: IncomingMessage, bytes: string) => unknown;

/** A real HTTP server on loopback that answers as it is told and remembers what it was sent. */
export async function openLocalProvider() {
  const received: Received[] = [];
  const provider = { behave: (() => undefined) as Behave };
  const server = createServer(async (request, response) => {
    const bytes = await text(request);
    const key = request.headers['idempotency-key'];
    received.push({ method: request.method ?? '', path: request.url ?? '', key: key === undefined ? undefined : String(key), bytes });
    await provider.behave(response, request, bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { provider, received, port, baseUrl: `http://127.0.0.1:${port}`, close };
}
