import type { Invariant } from '../invariant.ts';
import { createClocks } from './clocks.ts';
import { holdsWhile } from './holds-while.ts';

/** Less than this, clocks agree. */
const APART_MS = 60_000;

export const skew: Invariant = {
  id: 'S22',
  promise: 'S1 to S14 hold while clocks are minutes apart: a violation of any of them in such a run is one of this promise',
  watch(simulation, violate) {
    const clocks = createClocks();
    const writers = new Map<string, string>();
    const watching = holdsWhile(simulation, violate, () => clocks.apartMs >= APART_MS);
    return {
      ...watching,
      itemWritten(written) {
        const { table, id, by } = written;
        watching.itemWritten?.(written);
        if (table !== 'State' || by === undefined) return;
        const before = writers.get(id);
        if (before === by) return;
        writers.set(id, by);
        const [left, right] = [clocks.aheadMs(before ?? by), clocks.aheadMs(by)];
        if (left !== undefined && right !== undefined && Math.abs(left - right) >= APART_MS)
          simulation.happened('writers of one item with clocks minutes apart');
      },
      invocationEnded(functionName, process, end) {
        clocks.saw(process);
        watching.invocationEnded?.(functionName, process, end);
      },
    };
  },
};
