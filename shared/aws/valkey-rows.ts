import type { Cluster } from 'iovalkey';
import type { CacheItem } from './cache-row.ts';

/**
 * What lies under a key of a Valkey server, and the steps that change it. A row is a text of three lines:
 *
 *   era      the server's replication id when the row was written
 *   token    a fill token, or nothing beside a value
 *   rest     JSON, the same members that an item of the cache table has
 *
 * Each step is one script on one key, so that it is atomic and cannot cross hash slots. A server gets a new replication id when it is
 * restarted or promoted. Either may have lost an invalidation that was acknowledged, so a row of another era counts for nothing.
 *
 * Does not protect against a primary that was cut off from its replicas and still answers readers until it notices; the time to live does.
 */
export interface SeenRow {
  /** The whole text; undefined where there is nothing. */
  readonly text: string | undefined;
  /** Of this server now; empty where it does not tell. */
  readonly era: string;
}

export interface NewRow {
  readonly token: string;
  readonly item: object;
  /** Then the server may drop it, by its own clock. */
  readonly keepMs: number;
}

/** In a function of its own each, so that nothing of it is global. */
const ERA = `local function era()
  local known, info = pcall(redis.call, 'INFO', 'replication')
  return known and string.match(info, 'master_replid:(%w+)') or ''
end
`;
const READ = `${ERA}return { redis.call('GET', KEYS[1]), era() }`;
/** Only while the row is still the one that was judged. */
const REPLACE = `${ERA}local row = redis.call('GET', KEYS[1])
if (row or '') ~= ARGV[1] then return { row, era(), 0 } end
redis.call('SET', KEYS[1], era() .. '\\n' .. ARGV[2] .. '\\n' .. ARGV[3], 'PX', ARGV[4])
return { row, era(), 1 }`;
/** Only while the token stands, on the server that gave it. */
const FILL = `${ERA}local row = redis.call('GET', KEYS[1])
local standing = era() .. '\\n' .. ARGV[1] .. '\\n'
if not row or string.sub(row, 1, #standing) ~= standing then return 0 end
redis.call('SET', KEYS[1], era() .. '\\n\\n' .. ARGV[2], 'PX', ARGV[3])
return 1`;

export async function readRow(client: Cluster, key: string): Promise<SeenRow> {
  return seen(await client.eval(READ, 1, key));
}

export async function replaceRow(client: Cluster, key: string, judged: SeenRow, row: NewRow): Promise<SeenRow & { isReplaced: boolean }> {
  const answer = await client.eval(REPLACE, 1, key, judged.text ?? '', row.token, JSON.stringify(row.item), row.keepMs);
  return { ...seen(answer), isReplaced: (answer as unknown[])[2] === 1 };
}

export async function fillRow(client: Cluster, key: string, { token, item, keepMs }: NewRow): Promise<boolean> {
  return (await client.eval(FILL, 1, key, token, JSON.stringify(item), keepMs)) === 1;
}

export async function removeRow(client: Cluster, key: string): Promise<void> {
  await client.del(key);
}

function seen(answer: unknown): SeenRow {
  const [text, era] = answer as [string | null, string];
  return { text: text ?? undefined, era };
}

/** The row as an item of the cache table would say it; something no reader trusts when it is of another era or cannot be read. */
export function itemIn({ text, era }: SeenRow): CacheItem | undefined {
  if (text === undefined) return undefined;
  const [writtenIn, , ...rest] = text.split('\n');
  if (writtenIn !== era) return UNREADABLE;
  try {
    const members = Object.entries(JSON.parse(rest.join('\n')) as object);
    return Object.fromEntries(
      members.map(([name, value]) => [name, typeof value === 'number' ? { N: String(value) } : { S: String(value) }]),
    );
  } catch {
    return UNREADABLE;
  }
}

/** Neither over nor trusted. */
const UNREADABLE: CacheItem = { expiresAtMs: { N: 'unreadable' } };
