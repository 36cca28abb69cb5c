import '../../scripts/require-node.mjs';

/**
 * `npm run simulate`: a campaign's command, and each of its worker processes. A worker must own time before anything else is loaded,
 * the command must keep the real one; so which of the two this is is settled before anything that asks for the time is imported.
 */
if (process.argv[2] === 'worker') await import('./modes/worker.ts');
else {
  const { enableCompileCache } = await import('node:module');
  enableCompileCache();
  const { simulate } = await import('./modes/command.ts');
  await simulate(process.argv);
}
