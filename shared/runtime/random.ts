import { randomUUID } from 'node:crypto';

/** The only source of randomness for shared code and handlers. */
export interface Random {
  /** At least 0, below 1. */
  fraction(): number;
  /** A name nobody else has: lease owners, fill tokens, accept tokens. */
  token(): string;
}

export const systemRandom: Random = { fraction: () => Math.random(), token: () => randomUUID().replaceAll('-', '').slice(0, 20) };
