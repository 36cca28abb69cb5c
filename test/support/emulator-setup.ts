import type { TestProject } from 'vitest/node';
import { deployLocal } from '../../cli/local/deploy.ts';
import { startTestEmulator, TEST_STATE_DIRECTORY } from '../../scripts/test-emulator.ts';

/** What an integration test is told: read it with `inject('deployment')`. */
export interface Deployment {
  readonly endpointUrl: string;
  readonly stage: 'local';
  /** By the names of shared/contract/stack-outputs.ts. */
  readonly outputs: Readonly<Record<string, string>>;
}

declare module 'vitest' {
  interface ProvidedContext {
    deployment: Deployment;
  }
}

/**
 * Deploys stage `local` once for all integration tests: to the emulator at AWS_ENDPOINT_URL when it is set, else to one
 * that is started here on a free port and stopped at the end.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['AWS_ENDPOINT_URL'];
  const emulator =
    given === undefined || given === ''
      ? await timed('starting an emulator', startTestEmulator)
      : { endpointUrl: given, stop: async () => {} };
  try {
    const { endpointUrl } = emulator;
    const stateDirectory = TEST_STATE_DIRECTORY;
    const outputs = await timed(`deploying to ${endpointUrl}`, () => deployLocal({ endpointUrl, stateDirectory }));
    // Inherited by the test workers and by every CLI they start.
    process.env['AWS_ENDPOINT_URL'] = endpointUrl;
    project.provide('deployment', { endpointUrl, stage: 'local', outputs });
  } catch (error) {
    await emulator.stop();
    throw error;
  }
  return emulator.stop;
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const startedAtMs = Date.now();
  const result = await work();
  console.log(`${what}: ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s`);
  return result;
}
