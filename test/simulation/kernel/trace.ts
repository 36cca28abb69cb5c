/** What happened, line by line, and a hash over all of it: two runs of one seed are the same run exactly when their hashes are equal. */
export interface Trace {
  readonly lines: readonly string[];
  readonly hash: string;
  readonly length: number;
  add(line: string): void;
}

/** @param options.keep keep the lines; without, only their hash */
export function createTrace({ keep }: { readonly keep: boolean }): Trace {
  const lines: string[] = [];
  let [low, high, length] = [2_166_136_261, 0x9e3779b9, 0];
  return {
    lines,
    get hash() {
      return (high >>> 0).toString(16).padStart(8, '0') + (low >>> 0).toString(16).padStart(8, '0');
    },
    get length() {
      return length;
    },
    add(line) {
      length++;
      if (keep) lines.push(line);
      for (let index = 0; index < line.length; index++) {
        low = Math.imul(low ^ line.charCodeAt(index), 16_777_619);
        high = Math.imul(high ^ (low >>> 7), 0x85ebca6b);
      }
    },
  };
}
