import { rollOut } from '../../simulation/cloud/events/roll-out.ts';
import type { Invariant } from '../../simulation/invariant.ts';
import { keyIn } from '../../simulation/invariants/item-views.ts';
import { MINUTE_MS, placeMany } from './customers.ts';
import { type Directed, directed } from './directed.ts';

/** Nobody but our own code writes messages in this story. */
const readable: Invariant = {
  id: 'S23',
  promise: 'what one version of the code writes, the others read or put off; none takes it for malformed',
  watch(_, violate) {
    return {
      queueCalled({ operation, input }) {
        if (operation !== 'SendMessage') return;
        const { reason } = JSON.parse(input.MessageAttributes?.andal?.StringValue ?? '{}') as { reason?: string };
        if (reason === 'malformed') violate(`${keyIn(String(input.MessageBody))} is dead-lettered as malformed`);
      },
    };
  },
};

export const rollOuts = {
  'a roll-out under load': directed('a roll-out under load', {
    stormMs: 20 * MINUTE_MS,
    watching: [readable],
    begin(simulation) {
      placeMany(simulation, 6, 2 * MINUTE_MS);
      simulation.world.after(MINUTE_MS, () => rollOut(simulation, { overMs: MINUTE_MS }));
    },
  }),
} satisfies Readonly<Record<string, Directed>>;
