import { PRICES } from '#shared/contract/prices.ts';
import type { Bill } from './bill.ts';

/** US dollars by what they are paid for. */
export interface Money {
  readonly database: number;
  readonly queues: number;
  readonly functions: number;
  readonly logs: number;
  readonly objects: number;
}

/** Memory of every function (infra/constructs/node-function.ts). */
export const FUNCTION_GB = 0.5;
const GB_BYTES = 1_000_000_000;

export function priceBill(bill: Bill): Money {
  const tables = Object.values(bill.tables);
  const units = (name: 'read' | 'write'): number => tables.reduce((sum, table) => sum + table[name], 0);
  return {
    database: units('write') * PRICES.writeUnit + units('read') * PRICES.readUnit,
    queues: bill.queueRequests * PRICES.queueRequest + bill.fifoRequests * PRICES.fifoRequest,
    functions: bill.invocations * PRICES.invocation + (bill.functionMs / 1_000) * FUNCTION_GB * PRICES.gbSecond,
    logs: (bill.logBytes / GB_BYTES) * PRICES.logGb,
    objects: bill.objectWrites * PRICES.objectWrite + bill.objectReads * PRICES.objectRead,
  };
}

export const total = (money: Money): number => Object.values(money).reduce((sum, dollars) => sum + dollars, 0);
