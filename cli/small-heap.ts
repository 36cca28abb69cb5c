import { setFlagsFromString } from 'node:v8';

/**
 * Collects garbage early rather than letting the heap grow: thousands of short requests would otherwise leave some hundred megabytes of
 * it lying about. Imported before everything else, because a heap that has grown does not shrink.
 */
setFlagsFromString('--optimize-for-size');
setFlagsFromString('--max-semi-space-size=2');
