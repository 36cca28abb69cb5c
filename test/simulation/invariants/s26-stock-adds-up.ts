import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { Simulation } from '../simulation.ts';
import { numberOf, recordOf } from './item-views.ts';
import { stateImages } from './promised-jobs.ts';

const STOCK_ID = /^SKU#(.+)\|STOCK$/;
const ADJUSTMENTS = /^JOB#adjust-stock#(.+)$/;

export const stockAddsUp: Invariant = {
  id: 'S26',
  promise: 'no article has less than nothing in stock, and its stock is the sum of the adjustments that are done, each of them once',
  watch(simulation, violate) {
    const addUp = (when: string): void => {
      for (const wrong of wrongSums(simulation)) violate(`${wrong} ${when}`);
    };
    return {
      itemWritten({ table, id, next, by }) {
        if (table !== TABLES.state || !STOCK_ID.test(id) || next === undefined) return;
        if (numberOf(next, 'quantity') < 0) violate(`${by} leaves ${next['quantity']} of ${STOCK_ID.exec(id)?.[1]} in stock`);
      },
      rested: () => addUp('at rest'),
      finished: () => addUp('in the end'),
    };
  },
};

function wrongSums(simulation: Simulation): string[] {
  const [stock, done] = [new Map<string, number>(), new Map<string, number>()];
  for (const image of stateImages(simulation)) {
    const [, sku] = STOCK_ID.exec(`${image['pk']}|${image['sk']}`) ?? [];
    if (sku !== undefined) stock.set(sku, numberOf(image, 'quantity'));
    const [, adjusted] = ADJUSTMENTS.exec(String(image['pk'])) ?? [];
    const record = recordOf(image, 'run');
    if (adjusted === undefined || record?.status !== 'completed') continue;
    const { delta = 0 } = (record.result ?? {}) as { readonly delta?: number };
    done.set(adjusted, (done.get(adjusted) ?? 0) + delta);
  }
  return [...new Set([...stock.keys(), ...done.keys()])].flatMap((sku) => {
    const [quantity, sum] = [stock.get(sku) ?? 0, done.get(sku) ?? 0];
    return quantity === sum ? [] : [`there are ${quantity} of ${sku} in stock, and its adjustments make ${sum}`];
  });
}
