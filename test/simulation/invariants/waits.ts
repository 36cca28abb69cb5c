import type { InvocationEnd } from '../cloud/lambda.ts';
import type { Process } from '../kernel/process.ts';
import type { Disturbance, ItemWritten } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import { createClocks } from './clocks.ts';
import { createHandBacks } from './hand-backs.ts';
import { type Image, numberOf } from './item-views.ts';
import { createRetryAfter } from './retry-after.ts';

type ByProcess = ItemWritten & { readonly old: Image; readonly next: Image; readonly by: string };

/** A slot is an item and an operation on it: what a backoff belongs to, whichever message brings the work. */
export function createWaits(simulation: Simulation, violate: (how: string) => void) {
  const clocks = createClocks();
  const retryAfter = createRetryAfter(simulation, clocks, violate);
  const handBacks = createHandBacks(simulation, clocks, violate);

  const claimed = ({ id, next, by, atMs }: ByProcess): void => {
    const slot = `${id} ${next['leaseOp']}`;
    retryAfter.claimed({ slot, by, atMs });
    handBacks.claimed(by, slot);
    const dueMs = numberOf(next, `due:${next['leaseOp']}`);
    if (dueMs === 0) return;
    clocks.whenKnown([by], () => {
      const earlyMs = dueMs - atMs - (clocks.aheadMs(by) ?? 0);
      if (earlyMs > 1) violate(`${by} claims ${slot} ${Math.round(earlyMs)} ms before it is due`);
    });
  };
  const released = ({ id, old, next, by, atMs }: ByProcess): void => {
    const operation = String(old['leaseOp']);
    const slot = `${id} ${operation}`;
    const attempt = numberOf(old, `try:${operation}`);
    const deferred = numberOf(next, `try:${operation}`) < attempt;
    handBacks.released(by, slot, { operation, attempt, deferred, retryAfterSeconds: retryAfter.released({ slot, by, atMs }) });
    if (next[`due:${operation}`] === old[`due:${operation}`]) violate(`${by} frees ${slot} and says not when it is due again`);
  };
  const itemWritten = (written: ItemWritten): void => {
    const { table, id, old = {}, next, by } = written;
    if (table !== 'State' || next === undefined) return;
    handBacks.itemWritten(written);
    for (const name in old) if (name.startsWith('due:') && next[name] === undefined) retryAfter.forget(`${id} ${name.slice(4)}`);
    if (by === undefined) return;
    if (isClaimed(old, next)) claimed({ ...written, old, next, by });
    if (isGivenBack(old, next)) released({ ...written, old, next, by });
  };

  return {
    itemWritten,
    messagesDelivered: handBacks.messagesDelivered,
    queueCalled: handBacks.queueCalled,
    providerCalled: retryAfter.providerCalled,
    providerAnswered: retryAfter.providerAnswered,
    invocationEnded(_functionName: string, process: Process, end: InvocationEnd): void {
      clocks.saw(process);
      handBacks.ended(process, end);
    },
    disturbed(what: Disturbance): void {
      if (what === 'restore') retryAfter.forgetAll();
    },
  };
}

const isClaimed = (old: Image, next: Image): boolean => next['lease'] === 'held' && next['fence'] !== old['fence'];

/** Freed by its holder, and not finished. */
const isGivenBack = (old: Image, next: Image): boolean =>
  old['lease'] === 'held' && next['lease'] === 'free' && next['fence'] === old['fence'] && next[`op:${old['leaseOp']}`] === undefined;
