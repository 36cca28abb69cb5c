/** What was used of one table, its indexes among it. */
export interface TableUse {
  /** DynamoDB's request units. */
  readonly read: number;
  readonly write: number;
  /** As they arrived, an SDK's own retries among them. */
  readonly requests: number;
}

/** What was used of everything that AWS sends a bill for. */
export interface Bill {
  readonly tables: Readonly<Record<string, TableUse>>;
  /** Writes whose condition did not hold; billed like the write they refused. */
  readonly refusedWrites: number;
  /** Requests to standard queues: each 64 KiB that a request carries is one. */
  readonly queueRequests: number;
  /** The same of FIFO queues, which cost more. */
  readonly fifoRequests: number;
  /** Receives that found nothing, among the requests. */
  readonly emptyReceives: number;
  readonly objectWrites: number;
  readonly objectReads: number;
  readonly invocations: number;
  readonly functionMs: number;
  /** What functions and the platform write to the log. */
  readonly logBytes: number;
}

export const NOTHING: Bill = {
  tables: {},
  refusedWrites: 0,
  queueRequests: 0,
  fifoRequests: 0,
  emptyReceives: 0,
  objectWrites: 0,
  objectReads: 0,
  invocations: 0,
  functionMs: 0,
  logBytes: 0,
};

/** Of several bills, of the parts of one, and of what comes to one of many jobs. */
export function addUp(bills: readonly Partial<Bill>[], share = 1): Bill {
  const sum = (name: Exclude<keyof Bill, 'tables'>): number => bills.reduce((total, bill) => total + (bill[name] ?? 0), 0) * share;
  const names = [...new Set(bills.flatMap(({ tables = {} }) => Object.keys(tables)))].sort();
  const useOf = (table: string): TableUse => {
    const uses = bills.flatMap(({ tables = {} }) => tables[table] ?? []);
    const total = (name: keyof TableUse): number => uses.reduce((all, use) => all + use[name], 0) * share;
    return { read: total('read'), write: total('write'), requests: total('requests') };
  };
  return {
    tables: Object.fromEntries(names.map((table) => [table, useOf(table)])),
    refusedWrites: sum('refusedWrites'),
    queueRequests: sum('queueRequests'),
    fifoRequests: sum('fifoRequests'),
    emptyReceives: sum('emptyReceives'),
    objectWrites: sum('objectWrites'),
    objectReads: sum('objectReads'),
    invocations: sum('invocations'),
    functionMs: sum('functionMs'),
    logBytes: sum('logBytes'),
  };
}
