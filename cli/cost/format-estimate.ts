import { quiet, strong } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import type { CostEstimate } from './estimate.ts';

const dollars = (amount: number): string => `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export function formatEstimate(estimate: CostEstimate): string {
  const { asOf, region, ordersPerMonth, providerMs, batch, lines, dollarsPerMonth, dollarsPerMillionOrders } = estimate;
  const rows = lines.map(({ what, per, used, dollars: amount }) => [what, per === 'order' ? `${used} an order` : used, dollars(amount)]);
  const orders = ordersPerMonth.toLocaleString('en-GB');
  return [
    formatTable(['What', 'Uses', 'A month'], rows),
    '',
    strong(`${dollars(dollarsPerMonth)} a month for ${orders} orders, ${dollars(dollarsPerMillionOrders)} for a million.`),
    quiet(
      `List prices of ${region}, ${asOf}, free tiers left out; a provider that answers in ${providerMs} ms, ${batch.toFixed(1)} messages in a batch.`,
    ),
    quiet(
      'Not in it: reads, failures (a failed attempt writes three or four units more), refunds, custom metrics, traffic to the internet.',
    ),
  ].join('\n');
}
