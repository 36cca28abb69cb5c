import process from 'node:process';
import { App } from 'aws-cdk-lib';
import { addChecks } from './checks/pipeline-checks.ts';
import { SettingsError } from './context-values.ts';
import { createStacks } from './create-stacks.ts';
import { readSettings } from './settings.ts';

const app = new App();
try {
  const settings = readSettings({
    stage: app.node.tryGetContext('stage'),
    paymentProviderUrl: app.node.tryGetContext('paymentProviderUrl'),
    rollout: app.node.tryGetContext('rollout'),
    mailFrom: app.node.tryGetContext('mailFrom'),
    mailTo: app.node.tryGetContext('mailTo'),
    cache: app.node.tryGetContext('cache'),
    alarmEmail: app.node.tryGetContext('alarmEmail'),
    jwtIssuer: app.node.tryGetContext('jwtIssuer'),
    jwtAudience: app.node.tryGetContext('jwtAudience'),
    endpointUrl: process.env['AWS_ENDPOINT_URL'],
    region: process.env['CDK_DEFAULT_REGION'],
  });
  createStacks(app, settings);
  addChecks(app, settings);
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exit(1);
}
