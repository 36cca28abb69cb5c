import { SETTINGS } from '../cloud/functions.ts';
import type { Invariant } from '../invariant.ts';
import type { ProviderCall } from '../provider/provider-requests.ts';
import { idOf, jobOf } from './item-views.ts';
import { createScheduledAttempts } from './scheduled-attempts.ts';
import { createWaits } from './waits.ts';

const WINDOW_MS = 1_000;
/** As promised, not as configured. */
const MOST_CHARGES = 6;

/** Answers that say that nothing was done. */
const NOT_CHARGED = new Set([401, 403, 404, 405, 429]);

/**
 * The delays, and what the provider asked for, are judged in waits.ts; attempts that nobody asked for in scheduled-attempts.ts.
 *
 * Does not protect against calls of one window that a slow network spreads over two: what counts is when they leave.
 */
export const limits: Invariant = {
  id: 'S17',
  promise:
    'no second holds more calls than the dependency allows; one intent is charged by at most six calls, however many copies; waits lie in their bands, a Retry-After is waited for, and a declined order waits its day',
  watch(simulation, violate) {
    const sent: number[] = [];
    const charges = new Map<string, number>();
    const count = (key: string, by: number): number => {
      const calls = (charges.get(key) ?? 0) + by;
      charges.set(key, calls);
      return calls;
    };
    const waits = createWaits(simulation, violate);
    const scheduled = createScheduledAttempts(violate);
    return {
      ...waits,
      itemWritten(written) {
        waits.itemWritten(written);
        scheduled.itemWritten(written);
        const { table, id, old, next } = written;
        if (table !== 'State' || old === undefined) return;
        // Armed again, by an operator or by a new request: a fresh budget.
        for (const name in old) if (name.startsWith('op:') && next?.[name] === undefined) charges.delete(`${id} ${name.slice(3)}`);
      },
      providerCalled(call) {
        waits.providerCalled(call);
        const inWindow = mostInWindow(sent, call.sentAtMs);
        if (inWindow > SETTINGS.callsPerSecond['payment-provider']) violate(`${inWindow} calls left within one second`);
        const key = chargedBy(call);
        if (key !== undefined && count(key, 1) > MOST_CHARGES) violate(`${call.key} is sent for the ${charges.get(key)}th time`);
      },
      providerAnswered(call, answer) {
        waits.providerAnswered(call, answer);
        const key = chargedBy(call);
        if (key !== undefined && NOT_CHARGED.has(answer.status)) count(key, -1);
      },
      invocationEnded(functionName, process, end) {
        waits.invocationEnded(functionName, process, end);
        scheduled.invocationEnded(functionName, process);
      },
      disturbed(what) {
        waits.disturbed(what);
        if (what === 'restore') charges.clear();
      },
    };
  },
};

/** The item and operation whose budget a call takes from. */
function chargedBy({ operation, key = '' }: ProviderCall): string | undefined {
  if (operation !== 'capture' && operation !== 'refund') return undefined;
  const job = jobOf(key);
  return job === undefined ? key : `${idOf(job.item)} ${job.operation}`;
}

/** Enters one more instant, and says how many lie in the fullest window around it. Calls may arrive in another order than they left in. */
function mostInWindow(sent: number[], atMs: number): number {
  const place = sent.findLastIndex((other) => other <= atMs) + 1;
  sent.splice(place, 0, atMs);
  if (sent.length > 10_000) sent.splice(0, 5_000);
  let most = 0;
  for (let first = place; first >= 0 && atMs - (sent[first] as number) < WINDOW_MS; first--) {
    let last = first;
    while (last < sent.length && (sent[last] as number) - (sent[first] as number) < WINDOW_MS) last++;
    most = Math.max(most, last - first);
  }
  return most;
}
