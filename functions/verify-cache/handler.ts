import type { CachePort } from '#shared/cache/cache-port.ts';
import { repair } from '#shared/cache/repair.ts';
import { type VerifyWorld, verify } from '#shared/cache/verify.ts';
import { METRICS } from '#shared/contract/metric-names.ts';
import type { Measured } from '#shared/runtime/metrics.ts';

/**
 * Holds a sample of the cache against the table. What is still the same and still wrong after the lag is counted and taken out, as an
 * invalidation would: whatever is deleted costs one load, and a reader that holds the past loses its token.
 *
 * Does not protect against what the sample has left out; its time to live bounds that.
 */
export interface VerifyCacheWorld<Row> {
  readonly verification: VerifyWorld<Row>;
  readonly cache: Pick<CachePort, 'invalidate'>;
  /** Members of the log line that count what was compared and what was wrong. */
  readonly measure: (measured: Measured) => Record<string, unknown>;
  readonly log: {
    info(message: string, fields: Record<string, unknown>): void;
    error(message: string, fields: Record<string, unknown>): void;
  };
}

export const verifyCache =
  <Row>({ verification, cache, measure, log }: VerifyCacheWorld<Row>) =>
  async (): Promise<void> => {
    const { mismatches, ...counts } = await verify(verification);
    const repaired = await repair(
      mismatches.map(({ key }) => key),
      cache,
    );
    const compared = counts.equal + counts.caughtUp + mismatches.length;
    const values = { [METRICS.cacheVerified]: compared, [METRICS.cacheMismatch]: mismatches.length };
    const fields = { ...counts, ...measure({ dimensions: {}, values }) };
    if (mismatches.length === 0) log.info('cache verified', fields);
    else log.error('cache differs from the table', { ...fields, mismatches, repaired: repaired.length });
  };
