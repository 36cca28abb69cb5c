import { Cluster, type RedisOptions } from 'iovalkey';
import { StatedError } from '#shared/contract/stated-error.ts';
import { withTimeLimit } from '#shared/payments/time-limit.ts';

/**
 * One connection to a Valkey cluster, opened when it is first needed and thrown away at the first failure. Nothing is queued while it is
 * down, nothing is sent twice, and nothing reconnects behind our back: the next call opens a new one, with a fresh login, a fresh
 * look-up of the address and a fresh map of the slots. So a failover, a frozen function and an expired login are one case.
 *
 * Redirects (MOVED, ASK) are followed: a server that redirects has done nothing.
 *
 * Does not protect against a caller that asks more often than the server can bear (shared/cache/cautious-cache.ts).
 */
export interface ValkeyConnection {
  /** @throws StatedError when there is no answer within the limit, or a bad one */
  ask<Answer>(limitMs: number, command: (client: Cluster) => Promise<Answer>): Promise<Answer>;
  close(): void;
}

export interface ValkeyAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Asked at each opening, so that it may be short-lived; undefined where nobody has to log in. */
  readonly login?: (() => Promise<{ readonly username: string; readonly password: string }>) | undefined;
}

/** Resolving, connecting, TLS, login and the map of the slots together. */
const OPENING_LIMIT_MS = 1_000;
const REDIRECTIONS = 3;

export function createValkeyConnection(address: ValkeyAddress): ValkeyConnection {
  let current: Promise<Cluster> | undefined;
  const discard = (opening: Promise<Cluster>): void => {
    if (current === opening) current = undefined;
    opening.then((client) => client.disconnect()).catch(() => undefined);
  };
  return {
    async ask(limitMs, command) {
      current ??= open(address);
      const opening = current;
      try {
        const client = await opening;
        return await within(limitMs, () => command(client));
      } catch (error) {
        discard(opening);
        throw stated(error);
      }
    },
    close() {
      if (current !== undefined) discard(current);
    },
  };
}

async function open({ host, port, tls, login }: ValkeyAddress): Promise<Cluster> {
  const redisOptions: RedisOptions = {
    ...(await login?.()),
    ...(tls ? { tls: {} } : {}),
    connectTimeout: OPENING_LIMIT_MS,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: true,
  };
  const client = new Cluster([{ host, port }], {
    redisOptions,
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: () => null,
    maxRedirections: REDIRECTIONS,
    // Nothing that may have been carried out is sent again.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: OPENING_LIMIT_MS,
    // Certificates name the host, not what it resolves to.
    dnsLookup: (name, answer) => answer(null, name),
  });
  let last: unknown;
  client.on('error', () => undefined);
  client.on('node error', (error: unknown) => {
    last = error;
  });
  try {
    await within(OPENING_LIMIT_MS, () => client.connect());
    return client;
  } catch (error) {
    client.disconnect();
    throw last ?? error;
  }
}

const within = <Answer>(limitMs: number, call: () => Promise<Answer>): Promise<Answer> =>
  withTimeLimit(limitMs, (limit) => {
    const over = new Promise<never>((_, reject) => limit.addEventListener('abort', () => reject(limit.reason), { once: true }));
    const answer = call();
    // Whichever loses the race is nobody's any more.
    answer.catch(() => undefined);
    return Promise.race([answer, over]);
  });

const ADVICE = 'see docs/real-parts.md';
const REFUSED_LOGIN = `the cache does not let this function in: its user, its user group or elasticache:Connect is missing; ${ADVICE}`;
const REFUSED_COMMAND = `the cache forbids this function a command or a key: its access string does not fit this version; ${ADVICE}`;
const SLOW = `the cache did not answer in time; ${ADVICE}`;
const UNREACHABLE = `the cache cannot be reached at its address: is it there, and do its security group and subnets let this function in? ${ADVICE}`;

/** In our words: the client's repeat what was sent. */
function stated(error: unknown): StatedError {
  const { name = '', message = '', code = '' } = error as { name?: string; message?: string; code?: string };
  const say = (sentence: string): StatedError => new StatedError(sentence, { cause: error });
  if (/^(?:WRONGPASS|NOAUTH)\b/.test(message)) return say(REFUSED_LOGIN);
  if (/^NOPERM\b/.test(message)) return say(REFUSED_COMMAND);
  if (name === 'TimeoutError') return say(SLOW);
  return say(/^[A-Z]+ /.test(message) && code === '' ? `the cache answered with the error ${message.split(' ')[0]}` : UNREACHABLE);
}
