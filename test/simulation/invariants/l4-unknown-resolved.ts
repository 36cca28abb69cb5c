import type { Invariant } from '../invariant.ts';
import { type Image, idOf, numberOf, recordOf } from './item-views.ts';
import { stateImages } from './promised-jobs.ts';

/**
 * Unknown is an operation without an end that may have reached the outside. How such ends are counted, so that a campaign can see
 * that they came about.
 *
 * Does not protect against an end that came too early; what may end an unknown outcome is S12's.
 */
export const unknownResolved: Invariant = {
  id: 'L4',
  promise: 'an unknown outcome ends within two days of its intent, or of the calm: by the answer of the outside, or as a dead letter',
  watch(simulation, violate) {
    const look = (): void => {
      for (const image of stateImages(simulation))
        for (const operation of unknownOn(image)) violate(`nobody knows yet what became of ${operation} on ${idOf(image as never)}`);
    };
    return {
      itemWritten({ table, old, next }) {
        if (table !== 'State' || old === undefined || next === undefined) return;
        const operation = String(old['leaseOp']);
        // One sending is this run's own; with two, an earlier one was open.
        if (recordOf(old, operation) !== undefined || numberOf(old, `sent:${operation}`) < 2) return;
        const record = recordOf(next, operation);
        if (record === undefined) return;
        const result = (record.result ?? {}) as Readonly<Record<string, unknown>>;
        simulation.happened(`unknown resolved: ${record.status === 'discarded' ? record.reason : (Object.keys(result)[0] ?? 'done')}`);
      },
      calm() {
        for (const image of stateImages(simulation)) for (const _ of unknownOn(image)) simulation.happened('unknown at the calm');
      },
      rested: look,
      finished: look,
    };
  },
};

const unknownOn = (image: Image): string[] =>
  Object.keys(image).flatMap((name) => {
    const operation = name.slice('sent:'.length);
    return name.startsWith('sent:') && numberOf(image, name) > 0 && recordOf(image, operation) === undefined ? [operation] : [];
  });
