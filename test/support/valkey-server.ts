import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Redis } from 'iovalkey';

/** A real server of the Valkey protocol on loopback, a cluster of one node, and what a test may do to it. */
export interface ValkeyServer {
  readonly port: number;
  /** Sends a command on a connection of its own. */
  command(name: string, ...args: (string | number)[]): Promise<unknown>;
  /** What lies under a key on this very node, a replica or not; empty where there is nothing. */
  read(key: string): Promise<string>;
  /** The server dies without saving anything. */
  kill(): Promise<void>;
  /** On the same port, from whatever lies in its folder. */
  start(): Promise<void>;
  /** It stays connected and does nothing. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

const LOCAL = join(process.cwd(), '.local');
const CACHED = join(LOCAL, `redis-server-${process.arch}`);
const PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1'];

/** Debian's package, unpacked where no right of anybody is needed. @returns undefined where it cannot be had */
function findProgram(): { path: string; libraries: string } | undefined {
  const unpacked = { path: join(CACHED, 'usr/bin/redis-server'), libraries: librariesIn(CACHED) };
  for (const path of ['/usr/bin/valkey-server', '/usr/bin/redis-server', '/usr/local/bin/redis-server'])
    if (existsSync(path)) return { path, libraries: '' };
  if (existsSync(unpacked.path)) return unpacked;
  const packages = mkdtempSync(join(tmpdir(), 'andal-packages-'));
  try {
    execFileSync('apt-get', ['download', ...PACKAGES], { cwd: packages, stdio: 'ignore', timeout: 60_000 });
    // Test files run side by side: none may meet the half of what another unpacks.
    mkdirSync(LOCAL, { recursive: true });
    const root = mkdtempSync(join(LOCAL, 'unpacking-'));
    for (const one of readdirSync(packages)) execFileSync('dpkg', ['-x', join(packages, one), root], { timeout: 20_000 });
    if (existsSync(CACHED)) rmSync(root, { recursive: true });
    else renameSync(root, CACHED);
    return { ...unpacked, libraries: librariesIn(CACHED) };
  } catch {
    return undefined;
  } finally {
    rmSync(packages, { recursive: true, force: true });
  }
}

function librariesIn(root: string): string {
  const lib = join(root, 'usr/lib');
  return existsSync(lib)
    ? readdirSync(lib)
        .map((one) => join(lib, one))
        .join(':')
    : '';
}

const program = findProgram();
export const valkeyIsMissing =
  program === undefined
    ? 'no Valkey or Redis server can be had here (apt-get install redis-server): its cache tests are left out'
    : undefined;

const ALL_SLOTS = [0, 16_383] as const;

/** @param options of the server, as on its command line */
export async function startValkey({
  slots = ALL_SLOTS as readonly [number, number] | undefined,
  options = [] as string[],
} = {}): Promise<ValkeyServer> {
  const [port, busPort] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'andal-valkey-'));
  let child = await run(port, busPort, folder, options);
  if (slots !== undefined) await send(port, 'CLUSTER', 'ADDSLOTSRANGE', ...slots);
  await until(
    'the slots are served',
    async () => slots === undefined || /cluster_state:ok/.test(String(await send(port, 'CLUSTER', 'INFO'))),
  );
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  return {
    port,
    command: (name, ...args) => send(port, name, ...args),
    read: (key) => withClient(port, async (client) => String((await client.readonly().then(() => client.get(key))) ?? '')),
    kill,
    async start() {
      child = await run(port, busPort, folder, options);
      await until('the slots are served', async () => /cluster_state:ok/.test(String(await send(port, 'CLUSTER', 'INFO'))));
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function run(port: number, busPort: number, folder: string, options: readonly string[]): Promise<ChildProcess> {
  if (program === undefined) throw new Error(valkeyIsMissing);
  const address = ['--bind', '127.0.0.1', '--port', String(port), '--cluster-port', String(busPort), '--cluster-announce-ip', '127.0.0.1'];
  const cluster = [
    '--cluster-enabled',
    'yes',
    '--cluster-config-file',
    'nodes.conf',
    '--cluster-node-timeout',
    '1000',
    '--cluster-require-full-coverage',
    'no',
  ];
  const args = [...address, ...cluster, '--dir', folder, '--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0', ...options];
  const env = { ...process.env, LD_LIBRARY_PATH: program.libraries };
  const child = spawn(program.path, args, { env, stdio: 'ignore' });
  // A test that ends by itself must not leave a server behind.
  process.once('exit', () => child.kill('SIGKILL'));
  await until('the server answers', async () => (await send(port, 'PING')) === 'PONG');
  return child;
}

const send = (port: number, name: string, ...args: (string | number)[]): Promise<unknown> =>
  withClient(port, (client) => client.call(name, ...args));

async function withClient<Answer>(port: number, use: (client: Redis) => Promise<Answer>): Promise<Answer> {
  const client = new Redis({ host: '127.0.0.1', port, lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    client.disconnect();
  }
}

const DEADLINE_MS = 10_000;

export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + DEADLINE_MS;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > deadlineMs) throw new Error(`waited ${DEADLINE_MS} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
