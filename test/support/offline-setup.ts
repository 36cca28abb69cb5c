import { Socket } from 'node:net';
import fc from 'fast-check';

/** The same cases on every run: a red check names a change, never a lucky draw. `FAST_CHECK_SEED=n` draws others. */
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20261130) });

/** Offline suites may talk to servers they started themselves and to nothing else; without this they would pass here and fail on a train. */
const connect = Socket.prototype.connect;

function connectLocally(this: Socket, ...args: Parameters<typeof connect>): Socket {
  const host = hostOf(args);
  if (!['localhost', '127.0.0.1', '::1'].includes(host))
    throw new Error(`an offline test tried to reach ${host}; give it a fake, or move it to test/integration`);
  return connect.apply(this, args);
}
Socket.prototype.connect = connectLocally as typeof connect;

/** Sockets are opened as (port, host), (options), (path), or by Node itself with these normalised into one array. */
function hostOf(args: readonly unknown[]): string {
  const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as unknown[];
  if (typeof first === 'object' && first !== null)
    return isLocalPath(first) ? 'localhost' : ((first as { host?: string }).host ?? 'localhost');
  if (typeof first === 'string' && Number.isNaN(Number(first))) return 'localhost';
  return typeof second === 'string' ? second : 'localhost';
}

const isLocalPath = (options: object): boolean => 'path' in options && typeof options.path === 'string';
