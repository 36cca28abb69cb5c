import type { Invariant } from '../invariant.ts';
import { unaccountedMoney } from './captured-money.ts';
import { keyIn } from './item-views.ts';

/**
 * Counted from the provider's side, once everything is quiet. After a restore people have to compare the table with the provider's
 * list first (docs/restore.md); what holds then is S24's.
 */
export const capturedIsKnown: Invariant = {
  id: 'Q3',
  promise: 'what was captured is paid or given back once all is quiet, or a dead letter says so',
  watch(simulation, violate) {
    const thrownAway = new Set<string>();
    let wasRestored = false;
    const check = (when: string): void => {
      if (wasRestored) return;
      const wrong = unaccountedMoney(simulation, (key) => thrownAway.has(key));
      if (wrong !== undefined) violate(`${wrong}, ${when}`);
    };
    return {
      operatorActs({ kind, body }) {
        if (kind === 'discard') thrownAway.add(keyIn(body) ?? '');
      },
      disturbed(what) {
        wasRestored ||= what === 'restore';
      },
      rested: () => check('at rest'),
      finished: () => check('in the end'),
    };
  },
};
