/** Something cdk-nag finds and we leave as it is. One entry, one reason. */
export interface AcknowledgedFinding {
  readonly rule: string | RegExp;
  /** Construct paths without the stage. */
  readonly at: RegExp;
  readonly reason: string;
}

/**
 * The whole list. test/infra/findings.test.ts shows where each applies, and fails on an entry that finds nothing any more.
 */
export const ACKNOWLEDGED_FINDINGS: readonly AcknowledgedFinding[] = [
  {
    rule: 'AwsSolutions-DDB3',
    at: /^Data\/CacheTable$/,
    reason: 'Whatever is in the cache is loaded again from the State table; there is nothing to recover.',
  },
  {
    rule: 'AwsSolutions-DDB3',
    at: /^Sandbox\/SandboxTable$/,
    reason: 'The sandbox provider holds made-up payments of a test stage.',
  },
  {
    rule: 'AwsSolutions-S1',
    at: /^Data\/ExportBucket$/,
    reason: 'Stage test only: access logs arrive for hours, and a bucket that still fills cannot go with its stage. Prod keeps them.',
  },
  {
    rule: 'AwsSolutions-IAM5[Resource::*]',
    at: /\/Role\/DefaultPolicy$/,
    reason:
      'AWS knows no resource for xray:PutTraceSegments, xray:PutTelemetryRecords and dynamodb:ListStreams, and CodeDeploy asks for alarms by name on every resource (cloudwatch:DescribeAlarms); Lambda places a function in a network with ec2 actions on none (a Valkey cache only). test/infra/permissions.test.ts and test/infra/iam-matrix-valkey.txt let no other action have a wildcard.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::.*ExportBucket.*\/exports\/\*\]$/,
    at: /^Pipeline\/Worker-export-orders\/Role\/DefaultPolicy$/,
    reason: 'The keys below exports/ name users and exports, which exist only later. Nothing outside that prefix is granted.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::.*execute-api.*\/\*\/\*\/\*\]$/,
    at: /^Pipeline\/Worker-(?:capture|refund)-payment\/Role\/DefaultPolicy$/,
    reason: 'Every route of one API, the sandbox of this stage; which routes it has is its own business.',
  },
  {
    rule: 'Serverless-LambdaDLQ',
    at: /\/Function$/,
    reason:
      'Of use for asynchronous invocations only. Requests are answered synchronously, mappings have a dead-letter queue or a failure destination, and a scheduled run that failed is followed by the next, which starts from what it finds.',
  },
  {
    rule: 'Serverless-SQSRedrivePolicy',
    at: /\/DeadLetterQueue$/,
    reason: 'A dead-letter queue is the end of the line; people and the CLI take letters out of it.',
  },
  {
    rule: 'Serverless-LambdaEventSourceMappingDestination',
    at: /\/Live\/FromQueue$/,
    reason: 'A mapping of a queue knows no failure destination; the queue has its dead-letter queue. Mappings of the stream have one.',
  },
  {
    rule: 'Serverless-EventBusDLQ',
    at: /^Pipeline\/(?:CacheVerifier\/VerifySchedule|Governor\/EachMinute|Rescuer\/RescueSchedule|Rescuer\/SweepSchedule)$/,
    reason: 'A tick that could not be delivered is worth nothing once the next one comes, minutes later at most.',
  },
];
