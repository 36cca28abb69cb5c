import { readFileSync } from 'node:fs';
import process from 'node:process';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { describe, expect, it } from 'vitest';
import { rescueJobsEnvironment, sweepStateEnvironment } from '#shared/contract/environment.ts';
import { jobs } from '#shared/jobs/index.ts';
import { JobQueue } from '../../infra/constructs/job-queue.ts';
import { Rescuer } from '../../infra/constructs/rescuer.ts';
import { StateTable } from '../../infra/constructs/state-table.ts';
import { type CfnTemplate, resourceNamed, resourcesOf, settingsOf } from './synthesize.ts';

/** The rescuer between tables and queues of its own, without the rest of the pipeline. */
function synthesizeRescuer(stage: 'local' | 'test'): CfnTemplate {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  process.env['CDK_VALIDATION'] = 'false';
  const stack = new Stack(new App({ context: { ...context, 'aws:cdk:bundling-stacks': [] } }), 'Stack');
  const settings = settingsOf(stage);
  const stateTable = new StateTable(stack, 'StateTable', { settings });
  const controlTable = new Table(stack, 'ControlTable', { partitionKey: { name: 'id', type: AttributeType.STRING } });
  const jobQueues = jobs.map((definition) => new JobQueue(stack, `Queue-${definition.kind}`, { settings, definition }));
  const mappings = jobs.map(({ kind }) => ({
    kind,
    mappingId: `id-of-${kind}`,
    mappingArn: `arn:aws:lambda:us-east-1:123456789012:event-source-mapping:${kind}`,
  }));
  new Rescuer(stack, 'Rescuer', { settings, stateTable, controlTable, jobQueues, mappings });
  return Template.fromStack(stack).toJSON() as CfnTemplate;
}

const template = synthesizeRescuer('test');

/** Action → what it is allowed on, as short names. */
function rightsOf(prefix: string): Record<string, string[]> {
  const [, { Properties }] = resourceNamed(template, 'AWS::Lambda::Function', prefix);
  const role = Properties['Role']['Fn::GetAtt'][0];
  const rights: Record<string, string[]> = {};
  for (const [, policy] of resourcesOf(template, 'AWS::IAM::Policy')) {
    if (!policy.Properties['Roles'].some(({ Ref }: { Ref: string }) => Ref === role)) continue;
    for (const { Action, Resource } of policy.Properties['PolicyDocument'].Statement)
      for (const action of [Action].flat()) rights[action] = [...(rights[action] ?? []), ...[Resource].flat().map(shortNameOf)].sort();
  }
  return rights;
}

function shortNameOf(resource: unknown): string {
  const text = JSON.stringify(resource);
  const table = /(State|Control)Table/.exec(text)?.[1];
  if (table !== undefined) return text.includes('/index/overdue') ? `${table}/overdue` : table;
  return (
    /Queue([a-z]+?)(?:Queue|DeadLetterQueue)/.exec(text)?.[0] ??
    /event-source-mapping:([a-z-]+)/.exec(text)?.[1] ??
    /(RescueJobs|SweepState)Logs/.exec(text)?.[0] ??
    text
  );
}

const jobQueues = jobs.map(({ kind }) => `Queue${kind.replaceAll('-', '')}Queue`).sort();
const logs = (name: string): Record<string, string[]> => ({
  'logs:CreateLogStream': [`${name}Logs`],
  'logs:PutLogEvents': [`${name}Logs`],
  'xray:PutTelemetryRecords': ['"*"'],
  'xray:PutTraceSegments': ['"*"'],
});

describe('the rescue', () => {
  it('may query the overdue index, read and update items, send to job queues, and turn mappings on; nothing else', () => {
    expect(rightsOf('RescuerRescueJobs')).toEqual({
      ...logs('RescueJobs'),
      'dynamodb:Query': ['State/overdue'],
      'dynamodb:BatchGetItem': ['Control'],
      'dynamodb:GetItem': ['Control', 'State'],
      'dynamodb:UpdateItem': ['State'],
      'dynamodb:DeleteItem': ['Control'],
      'sqs:SendMessage': jobQueues,
      'lambda:UpdateEventSourceMapping': jobs.map(({ kind }) => kind).sort(),
    });
  });

  it('runs each minute and is over before the next', () => {
    expect(resourceNamed(template, 'AWS::Events::Rule', 'RescuerRescueSchedule')[1].Properties).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [{ RetryPolicy: { MaximumRetryAttempts: 0 } }],
    });
    expect(resourceNamed(template, 'AWS::Lambda::Function', 'RescuerRescueJobs')[1].Properties['Timeout']).toBeLessThan(60);
  });
});

describe('the sweep', () => {
  it('may scan, read and update items, keep its bookmarks and send to job queues; nothing else', () => {
    expect(rightsOf('RescuerSweepState')).toEqual({
      ...logs('SweepState'),
      'dynamodb:Scan': ['State'],
      'dynamodb:BatchGetItem': ['Control'],
      'dynamodb:GetItem': ['Control', 'State'],
      'dynamodb:UpdateItem': ['State'],
      'dynamodb:PutItem': ['Control'],
      'sqs:SendMessage': jobQueues,
    });
  });

  it('goes on every five minutes and is over before the next', () => {
    expect(resourceNamed(template, 'AWS::Events::Rule', 'RescuerSweepSchedule')[1].Properties).toMatchObject({
      ScheduleExpression: 'rate(5 minutes)',
    });
    expect(resourceNamed(template, 'AWS::Lambda::Function', 'RescuerSweepState')[1].Properties['Timeout']).toBeLessThan(300);
  });
});

describe.each(['local', 'test'] as const)('in stage %s', (stage) => {
  const ofStage = synthesizeRescuer(stage);
  it.each([
    ['RescuerRescueJobs', rescueJobsEnvironment],
    ['RescuerSweepState', sweepStateEnvironment],
  ] as const)('%s gets the environment it will parse, with every queue in it', (prefix, schema) => {
    const [, { Properties }] = resourceNamed(ofStage, 'AWS::Lambda::Function', prefix);
    const { NODE_OPTIONS, ...variables } = Properties['Environment'].Variables;
    expect(NODE_OPTIONS).toBeDefined();
    expect(Object.keys(variables).sort()).toEqual(Object.keys(schema.shape).sort());
    const deployed = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : 'known-after-deployment']),
    );
    expect(schema.safeParse(deployed).error).toBeUndefined();
    expect(variables.TIME_SCALE).toBe(String(settingsOf(stage).timeScale));
    for (const { kind } of jobs) expect(JSON.stringify(variables.QUEUE_URLS)).toContain(kind);
  });
});
