import process from 'node:process';
import { App } from 'aws-cdk-lib';
import { createStacks } from './create-stacks.ts';
import { readSettings, SettingsError } from './settings.ts';

const app = new App();
try {
  const settings = readSettings({
    stage: app.node.tryGetContext('stage'),
    paymentProviderUrl: app.node.tryGetContext('paymentProviderUrl'),
    endpointUrl: process.env['AWS_ENDPOINT_URL'],
    region: process.env['CDK_DEFAULT_REGION'],
  });
  createStacks(app, settings);
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exit(1);
}
