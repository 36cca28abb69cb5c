import { defineConfig } from 'vitest/config';

/** Test code never reaches an account: fixed credentials, no instance metadata, no profile of this machine. */
const awsEnvironment = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
};

const offline = (name: string, testTimeout: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    setupFiles: ['test/support/offline-setup.ts'],
    env: awsEnvironment,
    testTimeout,
    hookTimeout: testTimeout,
  },
});

/** Synthesises and bundles whole stacks; loading the CDK once a worker instead of once a file takes a third of the time. */
const infra = { test: { ...offline('infra', 120_000).test, isolate: false } };

export default defineConfig({
  test: {
    // Stopping an emulator and its workers takes a while.
    teardownTimeout: 60_000,
    projects: [
      offline('unit', 10_000),
      offline('conformance', 20_000),
      offline('budgets', 60_000),
      // Each test starts the command line as a process.
      offline('cli', 60_000),
      infra,
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/support/emulator-setup.ts'],
          env: awsEnvironment,
          // One emulator, one pipeline: files that kill workers or count messages would disturb each other.
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
