import type { Invariant } from '../invariant.ts';
import { unaccountedMoney } from './captured-money.ts';
import { keyIn } from './item-views.ts';

/** The table forgets, the provider does not: what it has captured before may neither be captured again nor stay unknown. */
export const restore: Invariant = {
  id: 'S24',
  promise: 'a table that was put back charges nobody twice, and what was captured is known again once all is reconciled',
  watch(simulation, violate) {
    let wasRestored = false;
    const thrownAway = new Set<string>();
    return {
      disturbed(what) {
        wasRestored ||= what === 'restore';
      },
      operatorActs({ kind, body }) {
        if (kind === 'discard') thrownAway.add(keyIn(body) ?? '');
      },
      providerMoved({ effect }) {
        if (!wasRestored || effect.kind !== 'charge') return;
        const { captures = [] } = simulation.ledger.accounts.get(effect.reference) ?? {};
        if (captures.length > 1) violate(`${effect.reference} was captured again after the table was put back`);
      },
      finished() {
        const wrong = wasRestored ? unaccountedMoney(simulation, (key) => thrownAway.has(key)) : undefined;
        if (wrong !== undefined) violate(wrong);
      },
    };
  },
};
