import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Stands before the provider. Open, it passes calls on; closed, nobody listens and connections are refused. */
export interface ProviderGate {
  readonly url: string;
  /** When each call arrived, milliseconds since the epoch. */
  readonly calls: readonly number[];
  open(): Promise<void>;
  /** Calls under way still get their answers. */
  close(): Promise<void>;
}

/**
 * Below the ports that systems give to outgoing connections: there, a connection to a closed port can meet itself and succeed,
 * and somebody else could have the port when the gate opens again.
 */
const PORTS = { from: 20_000, to: 30_000 };
const TRIES = 20;
const ANSWER_WITHIN_MS = 30_000;

/** @returns an open gate */
export async function openProviderGate(providerUrl: string): Promise<ProviderGate> {
  const calls: number[] = [];
  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    calls.push(Date.now());
    passOn(request, response, providerUrl).catch(() => response.destroy());
  };
  let { server, port } = await listenSomewhere(pass);
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async open() {
      if (!server.listening) server = await listen(port, pass);
    },
    async close() {
      if (server.listening) await new Promise((closed) => server.close(closed));
    },
  };
}

type Pass = (request: IncomingMessage, response: ServerResponse) => void;

async function listenSomewhere(pass: Pass): Promise<{ server: Server; port: number }> {
  for (let tries = 1; ; tries++) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
    try {
      return { server: await listen(port, pass), port };
    } catch (error) {
      if (tries >= TRIES) throw error;
    }
  }
}

const listen = (port: number, pass: Pass): Promise<Server> =>
  new Promise((listening, failed) => {
    const server = createServer(pass);
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => listening(server));
  });

async function passOn(request: IncomingMessage, response: ServerResponse, providerUrl: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = await fetch(`${providerUrl}${request.url}`, {
    method: request.method ?? 'GET',
    headers: pick(['content-type', 'idempotency-key'], (name) => request.headers[name] as string | undefined),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  const headers = pick(['content-type', 'retry-after'], (name) => answer.headers.get(name) ?? undefined);
  // One call a connection: a kept one that breaks when the gate closes would look like a lost answer, not like a refusal.
  response.writeHead(answer.status, { ...headers, connection: 'close' }).end(await answer.text());
}

const pick = (names: readonly string[], read: (name: string) => string | undefined): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = read(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
