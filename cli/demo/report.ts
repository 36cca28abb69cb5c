import { paintState } from '../explain/explanation.ts';
import { bad, doubtful, good, quiet, strong } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import type { OrderFacts } from './audit.ts';
import { allKept, type Verdict } from './verdict.ts';
import { nameOf } from './world.ts';

export interface DemoReport {
  readonly ok: boolean;
  readonly durationMs: number;
  readonly orders: readonly OrderFacts[];
  readonly verdicts: readonly Verdict[];
  /** What the run leaves in the deployment on purpose, for whoever finds it later. */
  readonly leftBehind?: string;
}

/** More orders than fit on a screen are counted, not listed. */
const LISTED_ORDERS = 30;

export function formatReport({ orders, verdicts, durationMs, ok, leftBehind }: DemoReport): string {
  const table =
    orders.length > LISTED_ORDERS
      ? []
      : [formatTable(['Order', 'Shows', 'State', 'Attempts', 'Captures', 'Receipts', 'Cache'], orders.map(orderRow)), ''];
  return [
    ...table,
    formatTable(
      ['Promise', '', 'Seen'],
      verdicts.map((verdict) => [verdict.promise, mark(verdict), verdict.seen]),
    ),
    '',
    ok
      ? good(strong(`All promises kept: ${orders.length} orders in ${(durationMs / 1000).toFixed(1)} s.`))
      : bad(strong('A promise was broken.')),
    ...(leftBehind === undefined ? [] : [quiet(leftBehind)]),
    ...nextSteps(verdicts),
  ].join('\n');
}

const orderRow = (order: OrderFacts): string[] => [
  nameOf(order),
  order.shows,
  order.state === order.ends ? paintState(order.state) : bad(order.state),
  String(order.attempts),
  order.captures > 1 ? bad(order.captures) : String(order.captures),
  order.receipts > 1 ? bad(order.receipts) : String(order.receipts),
  order.cache === 'stale' ? bad('stale') : order.cache === 'none' ? quiet('none') : `v${order.version}`,
];

const mark = ({ kept }: Verdict): string => (kept === undefined ? doubtful('not tried') : kept ? good('kept') : bad('BROKEN'));

const EXPLAINED_ORDERS = 5;

function nextSteps(verdicts: readonly Verdict[]): string[] {
  if (allKept(verdicts)) return [];
  const orders = [...new Set(verdicts.filter(({ kept }) => kept === false).flatMap(({ orders }) => orders))];
  if (orders.length === 0) return ['Look at the queues with: npm run andal -- status'];
  return ['Look at what happened with:', ...orders.slice(0, EXPLAINED_ORDERS).map((name) => `  npm run andal -- explain ${name}`)];
}
