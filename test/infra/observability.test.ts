import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { METRICS } from '#shared/contract/metric-names.ts';
import { PRICES } from '#shared/contract/prices.ts';
import { jobs } from '#shared/jobs/index.ts';
import { deploymentOf } from '../../infra/checks/deployment.ts';
import { createStacks } from '../../infra/create-stacks.ts';
import { oldLetterSeconds } from '../../infra/observability/objectives.ts';
import { inAlarmAt, type Sample } from '../support/alarms/alarm-evaluator.ts';
import { deployedAlarms } from './deployed-alarms.ts';
import { resourceNamed, resourcesOf, settingsOf, synthesize } from './synthesize.ts';

// B24, B80
const { observability, byStack } = synthesize('prod');
if (observability === undefined) throw new Error('stage prod has no Observability stack');
const alarms = resourcesOf(observability, 'AWS::CloudWatch::Alarm');
const deployment = deploymentOf(byStack as Parameters<typeof deploymentOf>[0]);
const rules = deployedAlarms('prod');
const operating = readFileSync('docs/operating.md', 'utf8');
const metricsPage = readFileSync('docs/metrics.md', 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape CloudFormation decides
type Properties = Record<string, any>;
const metricsOf = ({ Metrics = [], ...plain }: Properties): Properties[] =>
  Metrics.length === 0
    ? [plain]
    : Metrics.flatMap(({ MetricStat }: Properties) => (MetricStat === undefined ? [] : [MetricStat['Metric']]));

/** As a page of Markdown numbers its headings. */
const anchorsIn = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );

describe('every alarm', () => {
  it.each(alarms)(
    '%s tells the topic when it goes off and when it is over, and takes nothing for nothing, or for too little where it waits for something',
    (_id, { Properties }) => {
      const topic = [{ Ref: resourceNamed(observability, 'AWS::SNS::Topic', 'AlarmTopic')[0] }];
      expect(Properties).toMatchObject({
        AlarmActions: topic,
        OKActions: topic,
        TreatMissingData: Properties['ComparisonOperator'] === 'LessThanThreshold' ? 'breaching' : 'notBreaching',
      });
    },
  );

  it.each(alarms)('%s sends its reader to a heading that is there', (_id, { Properties }) => {
    const [, anchor] = /What to do: docs\/operating\.md#([a-z0-9-]+)$/.exec(Properties['AlarmDescription']) ?? [];
    expect(anchorsIn(operating)).toContain(anchor);
  });

  it('has a page that the table of symptoms leads to, as every section of the runbook has', () => {
    const sections = [...operating.matchAll(/^## (.+)$/gm)].map(([heading]) => anchorsIn(heading)[0]);
    const [table = ''] = operating.split(/^## /m);
    for (const section of sections) expect(table).toContain(`](#${section})`);
  });

  it('looks at what became of jobs: none but those of schedules at whether an invocation failed, which stays at zero while every job of it fails', () => {
    const ofJobs = alarms.filter(([, { Properties }]) => Properties['ComparisonOperator'] !== 'LessThanThreshold');
    const looked = ofJobs.flatMap(([, { Properties }]) => metricsOf(Properties).map(({ MetricName }) => MetricName));
    expect(looked).not.toContain('Errors');
    expect(looked).toEqual(expect.arrayContaining([METRICS.jobsFailed, METRICS.jobsDone, METRICS.duplicates]));
  });

  it('stays out of the local stage, whose emulator knows no metric math', () => {
    expect(synthesize('local').observability).toBeUndefined();
  });
});

describe('letters', () => {
  const queues = deployment.resources.filter(({ type }) => type === 'AWS::SQS::Queue');
  const deadLetterQueues = queues.filter(({ properties }) => properties['RedrivePolicy'] === undefined);
  const watching = (metricName: string) =>
    deployment.resources
      .filter(({ type, properties }) => type === 'AWS::CloudWatch::Alarm' && properties['MetricName'] === metricName)
      .map((alarm) => ({ properties: alarm.properties, queue: deployment.refersTo(alarm.properties['Dimensions'][0].Value, alarm) }));

  it('are told of from the first one on, in every dead-letter queue', () => {
    const told = watching('ApproximateNumberOfMessagesVisible');
    expect(deadLetterQueues.length).toBe(jobs.length + 2);
    for (const queue of deadLetterQueues) {
      const [alarm] = told.filter((one) => one.queue === queue);
      expect(alarm?.properties, queue.logicalId).toMatchObject({ Statistic: 'Maximum', Threshold: 1, EvaluationPeriods: 1, Period: 60 });
    }
  });

  it('are told of by age while SQS still keeps them, however long it kept the message before it moved it', () => {
    const day = 86_400;
    for (const visibilitySeconds of [60, 150, 570, 900, 5_400]) {
      const told = oldLetterSeconds(visibilitySeconds);
      const livedBefore = Math.min(1_000 * visibilitySeconds, 14 * day - told);
      expect(told + livedBefore).toBeLessThanOrEqual(14 * day);
      expect(told).toBeGreaterThanOrEqual(day);
      expect(told).toBeLessThanOrEqual(4 * day);
    }
    // A worker's own letters have all of their fourteen days.
    expect(oldLetterSeconds(150)).toBe(4 * day);
  });

  it('make no alarm for hours of silence, one for the first, another for the second, and none once they are gone', () => {
    const minute = 60_000;
    const began = Date.parse('2026-11-30T10:00:00.000Z');
    const depth = (atMinute: number): number => (atMinute < 420 ? 0 : atMinute < 450 ? 1 : atMinute < 480 ? 2 : 0);
    const samples: Sample[] = Array.from({ length: 100 }, (_, index) => 415 + index).flatMap((atMinute) => {
      const at = { namespace: 'AWS/SQS', dimensions: { QueueName: 'capture-payment-dlq' }, atMs: began + atMinute * minute };
      const hidden = { ...at, name: 'ApproximateNumberOfMessagesNotVisible', value: 0 };
      return [{ ...at, name: 'ApproximateNumberOfMessagesVisible', value: depth(atMinute) }, hidden];
    });
    const minutesOf = (id: string): number[] => {
      const alarm = rules.find((one) => one.id === id);
      return alarm === undefined ? [] : inAlarmAt(alarm, samples).map((atMs) => (atMs - began) / minute);
    };
    const waiting = minutesOf('DeadLetters-capture-payment');
    expect([waiting[0], waiting.at(-1), waiting.length]).toEqual([421, 480, 60]);
    expect(minutesOf('DeadLettersGrow-capture-payment')).toEqual([425, 455]);
  });
});

describe('the topic', () => {
  const [topicId, { Properties: topic }] = resourceNamed(observability, 'AWS::SNS::Topic', 'AlarmTopic');
  const [keyId, { Properties: key }] = resourceNamed(observability, 'AWS::KMS::Key', 'AlarmTopic');

  it('is encrypted with a key of its own that alarms of this account may use', () => {
    expect(topic['KmsMasterKeyId']).toEqual({ 'Fn::GetAtt': [keyId, 'Arn'] });
    expect(key['EnableKeyRotation']).toBe(true);
    expect(key['KeyPolicy'].Statement).toContainEqual(
      expect.objectContaining({ Principal: { Service: 'cloudwatch.amazonaws.com' }, Action: ['kms:Decrypt', 'kms:GenerateDataKey'] }),
    );
  });

  it('takes messages from alarms of this account, over TLS, and from nobody else by its policy', () => {
    const [, { Properties }] = resourceNamed(observability, 'AWS::SNS::TopicPolicy', 'AlarmTopic');
    const [deny, allow, ...others] = Properties['PolicyDocument'].Statement;
    expect(others).toEqual([]);
    expect(deny).toMatchObject({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } });
    expect(allow).toMatchObject({
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Resource: { Ref: topicId },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } }, ArnLike: { 'aws:SourceArn': expect.anything() } },
    });
  });

  it('writes to the address that was named, and to nobody unless one was', () => {
    const endpoints = (alarmEmail: string | undefined): unknown[] => {
      const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
      createStacks(app, { ...settingsOf('test'), alarmEmail });
      const stack = app.synth().stacks.find(({ stackName }) => stackName.endsWith('Observability'));
      return resourcesOf(stack?.template, 'AWS::SNS::Subscription').map(([, { Properties }]) => [
        Properties['Protocol'],
        Properties['Endpoint'],
      ]);
    };
    expect(endpoints(undefined)).toEqual([]);
    expect(endpoints('on-call@example.com')).toEqual([['email', 'on-call@example.com']]);
  });
});

describe('the dashboard', () => {
  const [, { Properties }] = resourceNamed(observability, 'AWS::CloudWatch::Dashboard', 'Dashboard');
  const text = JSON.stringify(Properties['DashboardBody']);

  it('answers from top to bottom: is it healthy, where is it stuck, what does it cost', () => {
    const places = ['# Is it healthy?', '# Where is it stuck?', '# What does it cost?'].map((heading) => text.indexOf(heading));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  });

  it.each(jobs.map(({ kind }) => kind))('has a row for %s', (kind) => {
    for (const title of ['waiting', 'what became of it', 'how long a run takes', 'what goes wrong'])
      expect(text).toContain(`${kind}: ${title}`);
  });

  it('or an alarm looks at every metric there is', () => {
    const seen = text + JSON.stringify(deployment.resources.filter(({ type }) => type === 'AWS::CloudWatch::Alarm'));
    expect(Object.values(METRICS).filter((name) => !seen.includes(name))).toEqual([]);
  });

  it('computes money with the prices and the date it prints', () => {
    expect(text).toContain(PRICES.asOf);
    for (const price of [PRICES.writeUnit, PRICES.readUnit, PRICES.queueRequest, PRICES.gbSecond, PRICES.invocation])
      expect(text).toContain(price.toFixed(12));
  });
});

it('no function keeps its lines, and the metrics in them, to itself by a log level above INFO', () => {
  const functions = deployment.resources.filter(({ type }) => type === 'AWS::Lambda::Function');
  expect(functions.length).toBeGreaterThan(jobs.length);
  for (const { logicalId, properties } of functions) {
    const variables = properties['Environment']?.Variables ?? {};
    const levels = [variables['POWERTOOLS_LOG_LEVEL'], variables['LOG_LEVEL'], properties['LoggingConfig']?.ApplicationLogLevel];
    for (const level of levels) expect([undefined, 'DEBUG', 'INFO'], logicalId).toContain(level);
    expect(variables['POWERTOOLS_METRICS_DISABLED'], logicalId).toBeUndefined();
  }
});

describe('docs/metrics.md', () => {
  it.each(Object.values(METRICS))('says what %s counts', (name) => expect(metricsPage).toContain(`| \`${name}\` |`));

  it('names every rule, and how many alarms and metrics they are paid for', () => {
    const names = new Set(rules.map(({ id }) => id.split('-')[0] ?? ''));
    for (const rule of names) expect(metricsPage).toContain(`| \`${rule}\` |`);
    const looked = alarms.reduce((count, [, { Properties: one }]) => count + metricsOf(one).length, 0);
    expect(metricsPage).toContain(`${alarms.length} alarms look at ${looked} metrics`);
    expect(metricsPage).toContain(`$${(looked * PRICES.alarmMetricMonth).toFixed(2)} a month`);
  });
});
