import { AwsError } from '../aws-error.ts';
import type { Item } from './attribute.ts';
import { idOf, type Table } from './table.ts';

export interface Units {
  read: number;
  write: number;
}

/** What the operations share: tables by name, the bill, the clock. */
export interface World {
  readonly tableOf: (name: string) => Table;
  readonly billed: Units;
  readonly now: () => number;
  /** Items of transactions in progress. */
  readonly held: Set<string>;
}

/** The name of an item in `held`. */
export const heldId = (table: Table, key: Item): string => `${table.definition.TableName}/${idOf(table, key)}`;

export const CONFLICT = { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' };

/** What a single write answers whose item is held. */
export const conflictError = (): AwsError => new AwsError('TransactionConflictException', CONFLICT.Message);

export interface Lag {
  /** An eventually consistent read sees its table as it was this many changes ago. */
  readonly changesBehind?: number;
}

export type Operation = (input: Record<string, unknown>, lag: Lag) => Record<string, unknown>;
