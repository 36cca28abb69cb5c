import { TABLES } from '../cloud/names.ts';
import { plainItem } from '../cloud/plain-item.ts';
import type { Simulation } from '../simulation.ts';

type Item = Readonly<Record<string, unknown>>;

/** Nothing is on its way and nothing is left to do of itself: what has ended so far is how it ends. */
export function isQuiet({ dynamodb, sqs, mappings, streams }: Simulation): boolean {
  const busy = [...mappings.values()].some(
    ({ definition, inFlight, enabled }) => !enabled || inFlight > 0 || sqs.messages(definition.queueName).length > 0,
  );
  if (busy || streams.some(({ waiting }) => waiting > 0)) return false;
  const items = dynamodb.items(TABLES.state).map(plainItem);
  return items.every((item) => isAtRest(item)) && everyReceiptIsOut(items);
}

const STEP_MS = 8 * 3_600_000;
/** An unknown outcome is asked about for two days; then it is a letter again. */
const MOST_STEPS = 9;

/** What was replayed comes to its end, which may be a letter again. */
export async function passUntilQuiet(simulation: Simulation, pass: (durationMs: number) => Promise<void>): Promise<void> {
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    await pass(STEP_MS);
    if (isQuiet(simulation) || simulation.violations.length > 0) return;
  }
}

const WAITING = new Set(['pending_payment', 'refund_pending']);

/** Waiting for a person counts as rest: a discarded operation has its letter. */
function isAtRest(item: Item): boolean {
  if (item['lease'] === 'held' || item['overdueAtMs'] !== undefined) return false;
  const unfinished = Object.keys(item).some((name) => name.startsWith('try:') && item[`op:${name.slice(4)}`] === undefined);
  if (unfinished || isNotBegun(item)) return false;
  const discarded = Object.entries(item).some(
    ([name, value]) => name.startsWith('op:') && (value as { status?: string }).status === 'discarded',
  );
  return discarded || !WAITING.has(String(item['status']));
}

/** A job that was accepted as an item of its own and that nobody has claimed yet. */
const isNotBegun = (item: Item): boolean => String(item['pk']).startsWith('JOB#') && item['op:run'] === undefined;

/** Each capture's own: a receipt of an order that a restored table has forgotten stands for no other. */
function everyReceiptIsOut(items: readonly Item[]): boolean {
  const begun = new Set(items.map(({ pk }) => String(pk)));
  return items.every((item) =>
    Object.entries(item).every(([name, value]) => {
      const [, attempt] = /^op:capture:(\d+)$/.exec(name) ?? [];
      const isCaptured = (value as { result?: { captureId?: string } } | null)?.result?.captureId !== undefined;
      return attempt === undefined || !isCaptured || begun.has(`JOB#send-receipt#receipt:${item['userId']}/${item['orderId']}:${attempt}`);
    }),
  );
}
