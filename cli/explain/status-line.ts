import { isEmpty } from '../aws/queues.ts';
import { TROUBLE_WORDS, type Trouble } from './attention.ts';
import type { Status } from './status.ts';

/** All that a watcher in a pipe wants to know on one line. Without ages: what only grows older has not changed. */
export function statusLine({ queues, orders, lag, unknownOutcomes, outboxOverdue, heldBack, attention, done }: Status): string {
  const busy = queues.filter((queue) => !isEmpty(queue) || queue.deadLetters > 0);
  const parts = [
    ...busy.map(
      ({ name, waiting, inFlight, delayed, deadLetters }) =>
        `${name} ${waiting}+${inFlight}+${delayed}${deadLetters === 0 ? '' : ` dead ${deadLetters}`}`,
    ),
    ...Object.entries(orders.byState)
      .sort()
      .map(([state, count]) => `${state} ${count}`),
    ...counted('not ended', lag.count),
    ...counted('unknown', unknownOutcomes.count),
    ...counted('outbox overdue', outboxOverdue.count),
    ...Object.entries(attention.counts).flatMap(([trouble, count]) => counted(TROUBLE_WORDS[trouble as Trouble], count)),
    ...heldBack.paused.map(({ kind }) => `paused ${kind}`),
    ...heldBack.circuits.map(({ dependency, state }) => `circuit ${state} ${dependency}`),
    ...heldBack.switchedOff.map(({ kind }) => `off ${kind}`),
  ];
  return [...parts, ...(done ? ['done'] : [])].join(' · ');
}

const counted = (what: string, count: number): string[] => (count === 0 ? [] : [`${what} ${count}`]);

/** The document a watcher gets for each change: without the moment it was taken at, by which alone two would differ. */
export function changeOf({ atMs: _, rateLimits, ...status }: Status): Record<string, unknown> {
  return { ...status, rateLimits: rateLimits.map(({ dependency, callsPerSecond }) => ({ dependency, callsPerSecond })) };
}
