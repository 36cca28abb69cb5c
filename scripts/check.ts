import './require-node.mjs';
import { run } from './run.ts';
import { runSteps } from './run-steps.ts';
import { checkSteps } from './step.ts';

/** `npm run check`: everything that needs no emulator and no network. */
await run(({ reportDirectory, signal }) => runSteps(checkSteps(reportDirectory), { concurrency: 2, signal }));
