import type { Invariant } from '../invariant.ts';
import { holdsWhile } from './holds-while.ts';

/**
 * Does not protect against what old code does to new messages unless a run's processes are really wired to both; the messages
 * themselves are seen here.
 */
export const versions: Invariant = {
  id: 'S23',
  promise: 'S1 to S14 hold while old and new code and messages are mixed: a violation of any of them in such a run is one of this promise',
  watch(simulation, violate) {
    const versionOf = new Map(simulation.jobQueues.map(({ queueName, definition: { version } }) => [queueName, version]));
    let mixed = false;
    const happened = (situation: string): void => {
      mixed = true;
      simulation.happened(situation);
    };
    return {
      ...holdsWhile(simulation, violate, () => mixed),
      messagesDelivered(queueName, records) {
        const known = versionOf.get(queueName);
        if (known === undefined) return;
        for (const { body } of records) {
          const version: number = Number(/"version":(\d+)/.exec(body)?.[1] ?? known);
          if (version !== known) happened(version < known ? 'a message of an older version' : 'a message of a newer version');
        }
      },
      disturbed(what) {
        if (what === 'roll-out') happened('a roll-out under load');
      },
    };
  },
};
