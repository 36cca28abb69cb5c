import { DescribeTimeToLiveCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { stackName } from '#shared/contract/stack-outputs.ts';
import type { Clients } from './clients.ts';
import { STACK_PARTS } from './deployment.ts';
import { describeStack, stackResources, stackTemplate } from './stacks.ts';

/** Turns on the expiry the templates declare where the emulator left it off. */
export async function enableDeclaredTtl({ cloudFormation, dynamoDb }: Clients, stage: string): Promise<void> {
  for (const part of STACK_PARTS) {
    const name = stackName(stage, part);
    if ((await describeStack(cloudFormation, name)) === undefined) continue;
    const [template, resources] = await Promise.all([stackTemplate(cloudFormation, name), stackResources(cloudFormation, name)]);
    for (const [logicalId, resource] of Object.entries(template.Resources ?? {})) {
      const declared = resource.Properties?.['TimeToLiveSpecification'] as { AttributeName?: string } | undefined;
      const table = resources.find((found) => found.logicalId === logicalId)?.physicalId;
      if (declared?.AttributeName !== undefined && table !== undefined) await enableTtl(dynamoDb, table, declared.AttributeName);
    }
  }
}

async function enableTtl(client: Clients['dynamoDb'], table: string, attribute: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: table }));
  if (/^ENABL/.test(TimeToLiveDescription?.TimeToLiveStatus ?? '')) return;
  const specification = { Enabled: true, AttributeName: attribute };
  await client.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification: specification }));
}
