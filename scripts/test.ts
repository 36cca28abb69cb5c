import './require-node.mjs';
import { sum } from './count-tests.ts';
import { run } from './run.ts';
import { runSteps } from './run-steps.ts';
import { checkSteps, cliStep, integrationStep } from './step.ts';
import { stopAbandonedEmulator } from './test-emulator.ts';

/** `npm test`: the check and the command line, then the integration tests on an emulator, alone because they measure time. */
await run(async ({ reportDirectory, signal }) => {
  const check = await runSteps([cliStep(reportDirectory), ...checkSteps(reportDirectory)], { concurrency: 2, signal });
  const integration = await runSteps([integrationStep(reportDirectory)], { concurrency: 1, signal });
  await stopAbandonedEmulator();
  return sum([check, integration]);
});
