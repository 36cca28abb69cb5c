import type { OrderFacts } from './audit.ts';
import { nameOf } from './world.ts';

/** Whether a promise was kept, and by which orders it was seen. `undefined`: it could not be tried here. */
export interface Verdict {
  readonly promise: string;
  readonly kept: boolean | undefined;
  /** What was seen, or why it could not be tried. */
  readonly seen: string;
  /** Orders that broke it. */
  readonly orders: readonly string[];
}

export const kept = (promise: string, seen: string): Verdict => ({ promise, kept: true, seen, orders: [] });
export const broken = (promise: string, seen: string, orders: readonly string[]): Verdict => ({ promise, kept: false, seen, orders });
export const notTried = (promise: string, why: string): Verdict => ({ promise, kept: undefined, seen: why, orders: [] });

/** A promise about every order, broken by those for which it does not hold. */
export function forEvery(
  promise: string,
  facts: readonly OrderFacts[],
  holds: (facts: OrderFacts) => boolean,
  tell: (facts: OrderFacts) => string,
): Verdict {
  const breakers = facts.filter((order) => !holds(order));
  if (breakers.length === 0) return kept(promise, `${facts.length} of ${facts.length} orders`);
  const examples = breakers.slice(0, 3).map((order) => `${nameOf(order)} ${tell(order)}`);
  return broken(promise, `${breakers.length} of ${facts.length} orders: ${examples.join('; ')}`, breakers.map(nameOf));
}

const expectedCharges = ({ ends }: OrderFacts): number => (ends === 'paid' ? 1 : 0);

/** What must hold of every order of any run. */
export const commonVerdicts = (facts: readonly OrderFacts[]): Verdict[] => [
  forEvery(
    'every order ends as it should',
    facts,
    ({ state, ends }) => state === ends,
    ({ state, ends }) => `is ${state}, not ${ends}`,
  ),
  forEvery(
    'the provider charged once, a declined order never',
    facts,
    (order) => order.captures === expectedCharges(order),
    ({ captures }) => `was charged ${captures} times`,
  ),
  forEvery(
    'each paid order got one receipt',
    facts,
    (order) => order.receipts === expectedCharges(order),
    ({ receipts }) => `got ${receipts} receipts`,
  ),
  forEvery(
    'no cache entry is older than the table',
    facts,
    ({ cache }) => cache !== 'stale',
    () => 'has a stale entry',
  ),
  forEvery(
    'a read over HTTP tells what the table says',
    facts,
    ({ readState, state }) => readState === state,
    ({ readState, state }) => `reads ${readState}, is ${state}`,
  ),
];

export const allKept = (verdicts: readonly Verdict[]): boolean => verdicts.every((verdict) => verdict.kept !== false);
