import type { CfnResource, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Settings } from '../settings.ts';
import { removalPolicyOf } from './removal-policy.ts';

/** What `autoDeleteObjects` adds to the stack: a function of the CDK that empties buckets before they are deleted. */
const PROVIDER = 'Custom::S3AutoDeleteObjectsCustomResourceProvider';

/**
 * That function writes to a log group nobody declares, with a managed policy that may create it again after it was deleted.
 * It gets a group of the stack and the right to write there, so that it leaves nothing behind.
 */
export function tidyEmptying(stack: Stack, settings: Settings): void {
  const provider = stack.node.findChild(PROVIDER);
  const [role, handler] = ['Role', 'Handler'].map((id) => provider.node.findChild(id) as CfnResource) as [CfnResource, CfnResource];
  const logs = new LogGroup(stack, 'EmptyingLogs', { retention: settings.logRetentionDays, removalPolicy: removalPolicyOf(settings) });
  handler.addPropertyOverride('LoggingConfig', { LogGroup: logs.logGroupName });
  role.addPropertyDeletionOverride('ManagedPolicyArns');
  role.addPropertyOverride('Policies', [
    {
      PolicyName: 'WriteLogs',
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: logs.logGroupArn }],
      },
    },
  ]);
}
