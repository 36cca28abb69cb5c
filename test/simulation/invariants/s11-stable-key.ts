import { SETTINGS } from '../cloud/functions.ts';
import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { ItemWritten } from '../observer.ts';
import type { ProviderCall } from '../provider/provider-requests.ts';
import { trackExecutions } from './executions.ts';
import { type Image, numberOf, recordedOperations, recordOf, referenceOf } from './item-views.ts';

const HORIZON_MS = SETTINGS.keyHorizonSeconds * 1000;
const QUIET_MS = 3_600_000;
/** A clock five minutes behind, and a worker that stood still between looking at it and calling. Well inside the quiet hour. */
const LATE_MS = 10 * 60_000;

/**
 * Judged by when a call was sent: what is on its way when a successor finishes the operation cannot be called back, and the
 * provider knows its key.
 */
export const stableKey: Invariant = {
  id: 'S11',
  promise:
    'all calls of one intent have one key and one body, none is made under a claim later than its end, none later than an hour before the key is forgotten',
  watch(_, violate) {
    const executions = trackExecutions();
    const bodies = new Map<string, string>();
    const begunAtMs = new Map<string, number>();
    const finishedAtMs = new Map<string, number>();
    return {
      itemWritten(written) {
        executions.itemWritten(written);
        if (written.table === TABLES.state) noteIntents(written, { bodies, begunAtMs, finishedAtMs });
      },
      providerAnswered: executions.providerAnswered,
      providerCalled(call) {
        if (call.operation === 'find') return;
        const wrong = judgeCall(call, { executions, bodies, begunAtMs, finishedAtMs });
        if (wrong !== undefined) violate(`${call.operation} of ${call.paymentIntentId} by ${call.from}: ${wrong}`);
        bodies.set(`${call.operation} ${call.key}`, call.body);
      },
    };
  },
};

interface Known {
  /** By provider operation and key. */
  readonly bodies: Map<string, string>;
  /** By operation: `capture:<user>/<order>:1`. */
  readonly begunAtMs: Map<string, number>;
  readonly finishedAtMs: Map<string, number>;
}

function noteIntents({ id, old, next, by, atMs }: ItemWritten, { bodies, begunAtMs, finishedAtMs }: Known): void {
  const reference = referenceOf(id);
  if (reference === undefined) return;
  const nameOf = (operation: string): string => operation.replace(':', `:${reference}:`);
  for (const operation of new Set([...recordedOperations(old), ...recordedOperations(next)])) {
    if (!isCompleted(next, operation)) finishedAtMs.delete(nameOf(operation));
    else if (!isCompleted(old, operation)) finishedAtMs.set(nameOf(operation), by === undefined ? Number.POSITIVE_INFINITY : atMs);
  }
  if (next === undefined) return;
  // After a restore the same order may be made again, with another body: for the provider to refuse.
  if (old === undefined) bodies.delete(`capture ${nameOf('capture:1')}`);
  if (next['intentAtMs'] !== undefined) begunAtMs.set(nameOf(`capture:${next['attempt']}`), numberOf(next, 'intentAtMs'));
  if (next['refundAtMs'] !== undefined) begunAtMs.set(nameOf(`refund:${next['refundAttempt']}`), numberOf(next, 'refundAtMs'));
}

const isCompleted = (image: Image | undefined, operation: string): boolean => recordOf(image, operation)?.status === 'completed';

function judgeCall(
  call: ProviderCall,
  { executions, bodies, begunAtMs, finishedAtMs }: Known & { executions: ReturnType<typeof trackExecutions> },
): string | undefined {
  const behind = executions.behind(call);
  // A person who gives a letter up closes its intent first, under the key a worker would close it with.
  if (call.operation === 'void' && !call.from.startsWith('execute-job/')) {
    const reference = executions.referenceOfIntent(call.paymentIntentId);
    return call.key?.startsWith(`void:capture:${reference}:`) ? undefined : `its key is ${call.key}`;
  }
  if (behind.length === 0) return 'nobody there holds a claim for it';
  const prefix = call.operation === 'void' ? 'void:' : '';
  const named = behind.filter(({ operation, reference }) => `${prefix}${operation.replace(':', `:${reference}:`)}` === call.key);
  const [latest] = named;
  if (latest === undefined) return `its key is ${call.key}`;
  const body = bodies.get(`${call.operation} ${call.key}`);
  if (body !== undefined && body !== call.body) return `${call.key} comes with another body`;
  const name = latest.operation.replace(':', `:${latest.reference}:`);
  const endedAtMs = finishedAtMs.get(name) ?? Number.POSITIVE_INFINITY;
  if (named.every(({ claimedAtMs }) => claimedAtMs > endedAtMs))
    return `claimed ${latest.claimedAtMs - endedAtMs} ms after ${name} was finished`;
  const lastAtMs = (begunAtMs.get(name) ?? 0) + HORIZON_MS - QUIET_MS + LATE_MS;
  // Closing an intent is what the quiet hour is for.
  if (call.operation === 'void' || call.sentAtMs <= lastAtMs) return undefined;
  return `sent ${Math.round((call.sentAtMs - lastAtMs + LATE_MS) / 60_000)} min into the quiet hour`;
}
