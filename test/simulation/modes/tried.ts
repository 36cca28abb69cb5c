import type { Part } from './cases.ts';
import type { Options } from './options.ts';
import type { Played } from './run-case.ts';

/** How many runs of an exhaustive campaign had how many faults planned; of a part, that part's. */
export interface Tried {
  readonly part?: Part;
  /** Pairs that were asked for; left out: all. */
  readonly sample?: number;
  withoutFault: number;
  withOne: number;
  withTwo: number;
}

export function countTried({ mode, part, sample, faults }: Options): { readonly counts: Tried | undefined; add(played: Played): void } {
  const counts: Tried = {
    ...(part === undefined ? {} : { part }),
    ...(sample === undefined ? {} : { sample }),
    withoutFault: 0,
    withOne: 0,
    withTwo: 0,
  };
  return {
    counts: mode.includes('exhaustive') && faults === undefined ? counts : undefined,
    add({ runCase }) {
      if (runCase.mode !== 'exhaustive') return;
      const name = (['withoutFault', 'withOne', 'withTwo'] as const)[runCase.faults?.length ?? 0];
      if (name !== undefined) counts[name]++;
    },
  };
}

export function triedText({ part, sample, withoutFault, withOne, withTwo }: Tried): string {
  const where = part === undefined ? 'tried' : `tried in part ${part.number} of ${part.of}`;
  const pairs = sample === undefined ? `${withTwo} pairs` : `${withTwo} pairs of a sample of ${sample}`;
  const singles = `${withOne} single ${withOne === 1 ? 'fault' : 'faults'}`;
  return `${where}: ${[...(withoutFault === 0 ? [] : ['the story without a fault']), singles, ...(withTwo === 0 && sample === undefined ? [] : [pairs])].join(', ')}`;
}
