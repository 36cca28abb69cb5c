import './require-node.mjs';
import { run } from './run.ts';
import { runSteps } from './run-steps.ts';
import { verifySteps } from './step.ts';

/** `npm run verify`: the long proof; with `-- --full` every pair of faults, which takes a day. One after the other: each uses all cores. */
const isFull = process.argv.includes('--full');
await run(({ reportDirectory, signal }) => runSteps(verifySteps(reportDirectory, { isFull }), { concurrency: 1, signal }));
