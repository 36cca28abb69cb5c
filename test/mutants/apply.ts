import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Edit } from './mutant.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** @throws Error when the text to replace is not there exactly once: the mutant no longer fits the code */
export function mutated(source: string, { file, from, to }: Edit): string {
  const [before, after, ...more] = source.split(from);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file}: the text to replace occurs ${source.split(from).length - 1} times, not once: ${from.slice(0, 80)}`);
  return `${before}${to}${after}`;
}

/** From here on this process loads the edited text; nothing on disk changes, so no bundle can contain it. */
export function applyEdits(edits: readonly Edit[]): void {
  const byUrl = Map.groupBy(edits, ({ file }) => pathToFileURL(`${ROOT}${file}`).href);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const wanted = byUrl.get(url);
      if (wanted === undefined) return loaded;
      return {
        ...loaded,
        source: wanted.reduce(mutated, String(loaded.source instanceof Uint8Array ? Buffer.from(loaded.source) : loaded.source)),
      };
    },
  });
}
