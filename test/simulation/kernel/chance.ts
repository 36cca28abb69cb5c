/** A stream of chance: the same seed gives the same draws, on every machine and every Node. */
export interface Chance {
  /** At least 0, below 1. */
  fraction(): number;
  /** Whole number of at least `low` and at most `high`. */
  whole(low: number, high: number): number;
  between(low: number, high: number): number;
  /** True with this probability. */
  happens(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** @param weights name → weight; names of weight 0 are never picked, undefined when all are 0 */
  pickWeighted<Name extends string>(weights: Readonly<Partial<Record<Name, number>>>): Name | undefined;
}

/** mulberry32. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const chance: Chance = {
    fraction,
    whole: (low, high) => low + Math.floor(fraction() * (high - low + 1)),
    between: (low, high) => low + fraction() * (high - low),
    happens: (probability) => fraction() < probability,
    pick: (items) => {
      if (items.length === 0) throw new RangeError('nothing to pick from');
      return items[Math.floor(fraction() * items.length)] as (typeof items)[number];
    },
    pickWeighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights & string, number][];
      let left = fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (weight > 0 && left < 0) return name as never;
      }
      return undefined;
    },
  };
  return chance;
}

/** A seed of its own for each use of one seed, so that more draws for one purpose move no draw for another. */
export function seedFor(seed: number, purpose: string): number {
  let hash = 2_166_136_261 ^ seed;
  for (const letter of purpose) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  return Math.imul(hash ^ (hash >>> 13), 0x5bd1e995) >>> 0;
}
