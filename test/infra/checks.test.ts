import { describe, expect, it } from 'vitest';
import { queuesHaveAlarms } from '../../infra/checks/alarm-rules.ts';
import { deploymentOf } from '../../infra/checks/deployment.ts';
import { PIPELINE_RULES, PipelineChecks } from '../../infra/checks/pipeline-checks.ts';
import type { Rule } from '../../infra/checks/rule.ts';
import { type CfnTemplate, resourceNamed, resourcesOf, synthesize } from './synthesize.ts';

// B26 B27 B44 B80 B89
const { byStack } = synthesize('prod');
const pipelineName = 'Andal-prod-Pipeline';

/** What a rule says about the stage after somebody changed it so. */
function sentencesAfter(rule: Rule, change: (pipeline: CfnTemplate, all: Record<string, CfnTemplate>) => void): string[] {
  const templates = structuredClone(byStack) as Record<string, CfnTemplate>;
  change(templates[pipelineName]!, templates);
  return rule.broken(deploymentOf(templates)).map(({ says }) => `${says} ${rule.fix}`);
}
const ruleNamed = (name: string): Rule => PIPELINE_RULES.find((rule) => rule.name === name)!;

const captureQueue = (pipeline: CfnTemplate) => resourceNamed(pipeline, 'AWS::SQS::Queue', 'QueuecapturepaymentQueue')[1].Properties;
const captureLetters = (pipeline: CfnTemplate) =>
  resourceNamed(pipeline, 'AWS::SQS::Queue', 'QueuecapturepaymentDeadLetterQueue')[1].Properties;
const captureMapping = (pipeline: CfnTemplate) =>
  resourceNamed(pipeline, 'AWS::Lambda::EventSourceMapping', 'Workercapturepayment')[1].Properties;
const captureWorker = (pipeline: CfnTemplate) => resourceNamed(pipeline, 'AWS::Lambda::Function', 'Workercapturepayment');
const streamMapping = (pipeline: CfnTemplate) =>
  resourcesOf(pipeline, 'AWS::Lambda::EventSourceMapping').find(([, { Properties }]) => Properties['StartingPosition'] !== undefined)![1]
    .Properties;
const set = (properties: Record<string, unknown>, name: string, value: unknown): void => void Object.assign(properties, { [name]: value });
const FOURTEEN_DAYS_SECONDS = 14 * 24 * 3600;

const breaches: [string, (pipeline: CfnTemplate) => void, RegExp][] = [
  [
    'visibility-covers-function',
    (pipeline) => set(captureQueue(pipeline), 'VisibilityTimeout', 6 * captureWorker(pipeline)[1].Properties['Timeout'] - 1),
    /hides a message for \d+ s, but six runs of \d+ s and a batching window of 0 s need \d+ s\. Raise the visibility timeout/,
  ],
  [
    'visibility-covers-function',
    (pipeline) => set(captureMapping(pipeline), 'MaximumBatchingWindowInSeconds', 1),
    /a batching window of 1 s need/,
  ],
  [
    'failures-are-reported',
    (pipeline) => void delete captureMapping(pipeline)['FunctionResponseTypes'],
    /counts as success, and the messages on it are gone\. Set reportBatchItemFailures: true/,
  ],
  [
    'mappings-name-the-alias',
    (pipeline) => set(captureMapping(pipeline), 'FunctionName', { Ref: captureWorker(pipeline)[0] }),
    /does not deliver to the alias.*Add the event source to the alias `live`/,
  ],
  [
    'mappings-name-the-alias',
    (pipeline) => {
      const [, alias] = resourceNamed(pipeline, 'AWS::Lambda::Alias', 'Workercapturepayment');
      alias.Properties['Name'] = 'another';
    },
    /does not deliver to the alias/,
  ],
  [
    'stream-mappings-are-filtered',
    (pipeline) => void delete streamMapping(pipeline)['FilterCriteria'],
    /reads a stream without a filter.*Name what the function is for in `filters`/,
  ],
  [
    'letters-outlive-messages',
    (pipeline) => set(captureLetters(pipeline), 'MessageRetentionPeriod', FOURTEEN_DAYS_SECONDS - 1),
    /keeps letters for 1209599 s, its queue messages for 1209600 s.*at least the retention of the queue/,
  ],
  [
    'letters-outlive-messages',
    // SQS keeps letters for four days when nobody says how long.
    (pipeline) => void delete captureLetters(pipeline)['MessageRetentionPeriod'],
    /keeps letters for 345600 s/,
  ],
  [
    'dead-letter-queues-belong-to-one-queue',
    (pipeline) => {
      const [, other] = resourceNamed(pipeline, 'AWS::SQS::Queue', 'QueuerefundpaymentQueue');
      other.Properties['RedrivePolicy'] = structuredClone(captureQueue(pipeline)['RedrivePolicy']);
    },
    /more than one queue redrives into it\. Use RedrivenQueue/,
  ],
  [
    'records-outlive-messages',
    (pipeline) => set(captureLetters(pipeline), 'MessageRetentionPeriod', 2 * FOURTEEN_DAYS_SECONDS),
    /can come back for 56 days.*is kept for 45\. Raise OWN_ITEM_RETENTION_DAYS/,
  ],
  [
    'leases-end-before-messages-return',
    (pipeline) => set(captureQueue(pipeline), 'VisibilityTimeout', captureWorker(pipeline)[1].Properties['Timeout']),
    /worker of capture-payment may hold its lease for \d+ s, but its message returns after \d+ s.*Raise the queue's visibility timeout/,
  ],
];

describe('the checks of a synthesis', () => {
  it.each(PIPELINE_RULES)('find nothing against $name', (rule) => {
    expect(sentencesAfter(rule, () => undefined)).toEqual([]);
  });

  it.each(breaches)('say against %s what is wrong and what to do', (name, breach, sentence) => {
    const said = sentencesAfter(ruleNamed(name), breach);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(sentence);
  });

  it('are each broken here at least once', () => {
    expect(new Set(breaches.map(([name]) => name))).toEqual(new Set(PIPELINE_RULES.map(({ name }) => name)));
  });

  it('end the synthesis itself, with the name of the resource', () => {
    expect(() => synthesize('test', { validate: true, tamper: withoutReporting })).toThrow(
      /Workercapturepayment\w+: without ReportBatchItemFailures[\s\S]*Set reportBatchItemFailures: true/,
    );
  });

  it('run in every stage', () => {
    expect(new PipelineChecks().name).toBe('andal');
    expect(() => synthesize('local', { validate: true, tamper: withoutReporting })).toThrow(/without ReportBatchItemFailures/);
  });
});

const withoutReporting = (path: string, resource: { addPropertyDeletionOverride(path: string): void }): void => {
  if (/Worker-capture-payment\/Live\/FromQueue/.test(path)) resource.addPropertyDeletionOverride('FunctionResponseTypes');
};

describe('alarms on queues', () => {
  const queue = { 'Fn::GetAtt': ['Work', 'QueueName'] };
  const alarm = (metricName: string, dimension: unknown) => ({
    Type: 'AWS::CloudWatch::Alarm',
    Properties: { MetricName: metricName, Dimensions: [{ Name: 'QueueName', Value: dimension }] },
  });
  const stage = (alarms: Record<string, ReturnType<typeof alarm>>) =>
    deploymentOf({
      Pipeline: {
        Resources: {
          Work: { Type: 'AWS::SQS::Queue', Properties: { RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Letters', 'Arn'] } } } },
          Letters: { Type: 'AWS::SQS::Queue' },
        },
        Outputs: { Exported: { Value: { 'Fn::GetAtt': ['Letters', 'QueueName'] }, Export: { Name: 'Pipeline:Letters' } } },
      },
      Observability: { Resources: alarms },
    });
  const saidOf = (alarms: Record<string, ReturnType<typeof alarm>>) =>
    queuesHaveAlarms.broken(stage(alarms)).map(({ at, says }) => [at.logicalId, says]);
  const depth = alarm('ApproximateNumberOfMessagesVisible', { 'Fn::ImportValue': 'Pipeline:Letters' });

  it('are missed with the metric that nobody looks at', () => {
    expect(saidOf({})).toEqual([
      ['Work', expect.stringContaining('no alarm looks at its ApproximateAgeOfOldestMessage')],
      ['Letters', expect.stringContaining('no alarm looks at its ApproximateNumberOfMessagesVisible')],
    ]);
  });

  it('are found across stacks, and inside an expression', () => {
    const inExpression = {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        Metrics: [
          { Expression: 'a / 60' },
          { MetricStat: { Metric: { MetricName: 'ApproximateAgeOfOldestMessage', Dimensions: [{ Name: 'QueueName', Value: queue }] } } },
        ],
      },
    };
    const inPipeline = deploymentOf({
      One: {
        Resources: {
          Work: { Type: 'AWS::SQS::Queue', Properties: { RedrivePolicy: {} } },
          Age: inExpression,
        },
      },
    });
    expect(queuesHaveAlarms.broken(inPipeline)).toEqual([]);
    expect(saidOf({ depth }).map(([id]) => id)).toEqual(['Work']);
  });

  it('on what SQS does not count for redriven messages do not help', () => {
    const sent = alarm('NumberOfMessagesSent', { 'Fn::ImportValue': 'Pipeline:Letters' });
    expect(saidOf({ sent }).map(([id]) => id)).toEqual(['Work', 'Letters']);
  });
});
