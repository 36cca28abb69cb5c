import { TABLES } from '../cloud/names.ts';
import type { ItemWritten } from '../observer.ts';
import type { ProviderCall } from '../provider/provider-requests.ts';
import { numberOf, referenceOf } from './item-views.ts';

/** One claim and what its worker did under it. */
export interface Execution {
  readonly by: string;
  readonly reference: string;
  /** `capture:1`, on the order's item. */
  readonly operation: string;
  readonly claimedAtMs: number;
  /** Attempts that may have reached the provider, this one included. */
  readonly sent: number;
  /** Since the claim the provider has said what became of the intent. */
  wasAnswered: boolean;
}

export interface Executions {
  itemWritten(written: ItemWritten): void;
  providerAnswered(call: ProviderCall, answer: { readonly status: number }): void;
  /** Who can have made a call, the latest claim first. */
  behind(call: ProviderCall): Execution[];
  /** The latest claim of an order's item by a process. */
  latest(by: string, reference: string): Execution | undefined;
  /** The order a payment intent belongs to. */
  referenceOfIntent(paymentIntentId: string): string | undefined;
}

/** One process runs several messages of one order only where a lease ran out over it; both claims are younger than this. */
const MEMORY_MS = 10 * 60_000;

/** Every claim of an order's item, by the process that wrote it. */
export function trackExecutions(): Executions {
  const executions = new Map<string, Execution[]>();
  const references = new Map<string, string>();
  const listOf = (by: string, reference: string): Execution[] => executions.get(`${by} ${reference}`) ?? [];
  const behind = ({ from, paymentIntentId, sentAtMs }: ProviderCall): Execution[] => {
    const list = listOf(from, references.get(paymentIntentId) ?? '').filter(({ claimedAtMs }) => claimedAtMs <= sentAtMs);
    const recent = list.filter(({ claimedAtMs }) => claimedAtMs > sentAtMs - MEMORY_MS);
    return recent.length > 0 ? recent : list.slice(0, 1);
  };
  return {
    behind,
    latest: (by, reference) => listOf(by, reference)[0],
    referenceOfIntent: (paymentIntentId) => references.get(paymentIntentId),
    itemWritten(written) {
      const reference = written.table === TABLES.state ? referenceOf(written.id) : undefined;
      if (reference === undefined || written.next === undefined) return;
      const { old, next, by, atMs } = written;
      references.set(String(next['paymentIntentId']), reference);
      if (by === undefined || next['lease'] !== 'held' || numberOf(next, 'fence') === numberOf(old, 'fence')) return;
      const operation = String(next['leaseOp']);
      const claim = { by, reference, operation, claimedAtMs: atMs, sent: numberOf(next, `sent:${operation}`), wasAnswered: false };
      executions.set(`${by} ${reference}`, [claim, ...listOf(by, reference).slice(0, 7)]);
    },
    providerAnswered(call, { status }) {
      if (call.operation !== 'find' || status !== 200) return;
      for (const execution of behind(call)) execution.wasAnswered = true;
    },
  };
}
