import { Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { type DeployedResource, deploymentOf } from '../../infra/checks/deployment.ts';
import type { Stage } from '../../infra/context-values.ts';
import { type AlarmDefinition, readAlarm } from '../support/alarms/alarm-evaluator.ts';
import { simulatedName } from '../support/alarms/simulated-names.ts';
import { synthesize } from './synthesize.ts';

/** The alarms of the Observability stack under their construct's id, with what they look at under the names it has in the simulator. */
export function deployedAlarms(stage: Stage): AlarmDefinition[] {
  const { app, byStack } = synthesize(stage);
  const deployment = deploymentOf(byStack as Parameters<typeof deploymentOf>[0]);
  const nameIn = (from: DeployedResource) => (value: unknown) =>
    typeof value === 'string' ? value : simulatedName(deployment.refersTo(value, from)?.logicalId ?? '');
  const ids = new Map<unknown, string>(
    app.node
      .findAll()
      .flatMap((one) => (one instanceof CfnAlarm ? [[Stack.of(one).resolve(one.logicalId), one.node.scope?.node.id ?? '']] : [])),
  );
  return deployment.resources
    .filter(({ type, stack }) => type === 'AWS::CloudWatch::Alarm' && stack.endsWith('Observability'))
    .map((one) => readAlarm(ids.get(one.logicalId) ?? one.logicalId, one.properties, nameIn(one)));
}
