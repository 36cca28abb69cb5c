import type { Invariant } from '../invariant.ts';
import type { ApiExchange, ItemWritten } from '../observer.ts';
import { type CommittedVersions, createCommittedVersions, saysTheSame } from './committed-versions.ts';
import { readAnswerOf } from './read-answers.ts';

/**
 * A value takes the place of a token, and whoever holds a token took it before loading; so no fill may be older than what was
 * committed when its token was written. Absence has no version and is judged as staleness.
 */
export const cacheHonest: Invariant = {
  id: 'S13',
  promise:
    'a cached or answered value is a committed version of the table, word for word, its entity tag names that version, and versions stored under one key never fall',
  watch(simulation, violate) {
    const committed = createCommittedVersions();
    const tokens = new Map<string, number>();
    const highest = new Map<string, number>();
    const count = (situation: string): void => simulation.happened(situation);
    return {
      itemWritten(written) {
        committed.written(written);
        if (written.table === 'Cache') judgeCacheWrite(written, { committed, tokens, highest, count, violate });
      },
      apiAnswered(exchange) {
        const tag = wrongTag(exchange);
        if (tag !== undefined) violate(`${exchange.functionName} ${tag}`);
        const answer = readAnswerOf(exchange);
        if (answer === undefined || answer.version === 0) return;
        const { key, version, value } = answer;
        if (!committed.under(key, version).some((state) => saysTheSame(value, state)))
          violate(`${key} was answered as version ${version}, which was never committed so: ${JSON.stringify(value)}`);
      },
      disturbed(what) {
        if (what !== 'restore') return;
        highest.clear();
        tokens.clear();
      },
    };
  },
};

/** Of an answer that shows an order or a summary: a client that sends the tag back means the version it was shown. */
function wrongTag({ functionName, answer: { statusCode, body, headers = {} } }: ApiExchange): string | undefined {
  if (!TAGGED.has(functionName) || statusCode >= 300) return undefined;
  const version = headers['x-order-version'] ?? (JSON.parse(body) as { readonly version?: unknown }).version;
  return headers['etag'] === `"${version}"` ? undefined : `tags version ${version} as ${headers['etag']}`;
}
const TAGGED = new Set(['read-order', 'accept-order', 'accept-refund', 'accept-payment-attempt']);

interface Watch {
  readonly committed: CommittedVersions;
  /** The version that was in force when the standing token was taken, by key. */
  readonly tokens: Map<string, number>;
  readonly highest: Map<string, number>;
  readonly count: (situation: string) => void;
  readonly violate: (how: string) => void;
}

function judgeCacheWrite({ id: key, old, next, atMs }: ItemWritten, watch: Watch): void {
  const { committed, tokens, count } = watch;
  if (next === undefined) return void tokens.delete(key);
  if (next['token'] !== undefined && next['token'] !== old?.['token']) {
    if (old?.['token'] !== undefined) count('a fill token was taken over');
    tokens.set(key, committed.inForce(key, atMs));
  }
  const isFill = next['value'] !== undefined && (next['value'] !== old?.['value'] || next['expiresAtMs'] !== old?.['expiresAtMs']);
  if (isFill)
    judgeFill(key, { version: Number(next['version']), text: String(next['value']), hadToken: old?.['token'] !== undefined }, watch);
}

interface Fill {
  readonly version: number;
  readonly text: string;
  readonly hadToken: boolean;
}

function judgeFill(key: string, { version, text, hadToken }: Fill, { committed, tokens, highest, violate }: Watch): void {
  const stored = `${key} stores version ${version}`;
  if (!hadToken) violate(`${stored} although no token stands`);
  const value: unknown = parsed(text);
  if (!committed.under(key, version).some((state) => saysTheSame(value, state)))
    violate(`${stored}, which was never committed so: ${text}`);
  const since = tokens.get(key) ?? 0;
  if (version < since) violate(`${stored}, but ${since} was committed when its token was taken`);
  const before = highest.get(key) ?? 0;
  if (version < before) violate(`${stored} after version ${before}`);
  highest.set(key, Math.max(version, before));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
