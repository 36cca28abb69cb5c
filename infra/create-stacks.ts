import type { App, StackProps } from 'aws-cdk-lib';
import { stackName } from '#shared/contract/stack-outputs.ts';
import { DataStack } from './data-stack.ts';
import { ObservabilityStack } from './observability-stack.ts';
import { PipelineStack } from './pipeline-stack.ts';
import { SandboxStack } from './sandbox-stack.ts';
import type { Settings } from './settings.ts';

type Part = Parameters<typeof stackName>[1];

/**
 * A stage: where things are kept, what happens to them, and in stages without a real provider a sandbox to charge; on AWS
 * also who is told when something is the matter.
 * References between the stacks are strong (cdk.json): tables cannot be taken away under a running pipeline.
 */
export function createStacks(app: App, settings: Settings): void {
  const nameOf = (part: Part): string => stackName(settings.stage, part);
  const propsOf = (part: Part, description: string): StackProps & { settings: Settings } => ({
    settings,
    stackName: nameOf(part),
    description: `Andal (${settings.stage}): ${description}`,
    // CloudFormation hands them on to every resource that can bear a tag.
    tags: { project: 'andal', stage: settings.stage },
    terminationProtection: settings.deletionProtection,
    ...(settings.env === undefined ? {} : { env: settings.env }),
  });

  const data = new DataStack(app, nameOf('Data'), propsOf('Data', 'tables'));
  const sandbox = settings.ownSandbox
    ? new SandboxStack(app, nameOf('Sandbox'), propsOf('Sandbox', 'example payment provider')).provider
    : undefined;
  const pipeline = new PipelineStack(app, nameOf('Pipeline'), {
    ...propsOf('Pipeline', 'API, queues, workers and stream consumers'),
    data,
    sandbox,
  });
  if (settings.alarms)
    new ObservabilityStack(app, nameOf('Observability'), { ...propsOf('Observability', 'alarms and dashboard'), data, pipeline });
}
