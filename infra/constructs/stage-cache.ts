import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type * as z from 'zod';
import type { FunctionNetwork, NodeFunction } from './node-function.ts';

/** What a function of ours does with the cache. */
export type CacheUse = 'read-through' | 'invalidate';

/** Where a stage keeps its cache, and what a function that uses it needs. */
export interface StageCache {
  /** Of the function's folder. */
  readonly entry: string;
  /** Variables besides the function's own, and how it will parse them. */
  readonly environment: Readonly<Record<string, string>>;
  readonly schema: z.ZodObject | undefined;
  readonly network: FunctionNetwork | undefined;
  grant(lambda: Pick<NodeFunction<z.ZodObject>, 'allow'>, use: CacheUse): void;
}

/** The embedded default: a table. */
export const cacheInTable = (table: Table): StageCache => ({
  entry: 'index.ts',
  environment: {},
  schema: undefined,
  network: undefined,
  grant(lambda, use) {
    // DeleteItem gives the fill token of an absent order back.
    const reading = use === 'read-through' ? ['dynamodb:GetItem', 'dynamodb:UpdateItem'] : [];
    lambda.allow([...reading, 'dynamodb:DeleteItem'], [table.tableArn]);
  },
});
