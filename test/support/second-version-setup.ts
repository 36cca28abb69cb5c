import { registerHooks } from 'node:module';
import { secondVersionOf, VERSIONED_FILE } from './second-version.ts';

/** Preloaded into a process (`node --import`): the process has the next release's capture-payment. */
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(VERSIONED_FILE)) return loaded;
    return { ...loaded, source: secondVersionOf(String(loaded.source)) };
  },
});
