import type { Table } from './table.ts';

export interface Units {
  read: number;
  write: number;
}

/** What the operations share: tables by name, the bill, the clock. */
export interface World {
  readonly tableOf: (name: string) => Table;
  readonly billed: Units;
  readonly now: () => number;
}

export interface Lag {
  /** An eventually consistent read sees its table as it was this many changes ago. */
  readonly changesBehind?: number;
}

export type Operation = (input: Record<string, unknown>, lag: Lag) => Record<string, unknown>;
