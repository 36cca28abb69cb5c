import { describe, expect, it } from 'vitest';
import { jobs } from '#shared/jobs/index.ts';
import { functionsOf, type JobQueueDefinition, jobQueueOf, SETTINGS } from '../simulation/cloud/functions.ts';
import type { FunctionDefinition } from '../simulation/cloud/lambda.ts';
import { queuesOf, RETENTION_SECONDS, type RedrivenQueue } from '../simulation/cloud/queues.ts';
import { STREAM_CONSUMERS } from '../simulation/cloud/streams.ts';
import { FUNCTIONS, QUEUES } from './simulated-names.ts';
import { functionBehind, resourceNamed, resourcesOf, settingsOf, synthesize } from './synthesize.ts';

const { pipeline } = synthesize('prod');
const jobQueues: JobQueueDefinition[] = jobs.map(jobQueueOf);
const queues = queuesOf(jobQueues);
const functions = functionsOf(jobQueues);

const functionOf = (name: string) => resourceNamed(pipeline, 'AWS::Lambda::Function', FUNCTIONS[name] ?? name);
const queueOf = (name: string) => resourceNamed(pipeline, 'AWS::SQS::Queue', `${QUEUES[name] ?? name}Queue`);
const lettersOf = (name: string) => resourceNamed(pipeline, 'AWS::SQS::Queue', `${QUEUES[name] ?? name}DeadLetterQueue`);
const mappings = resourcesOf(pipeline, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties);

describe('the simulated account', () => {
  it('has every function, every queue and every stream consumer of the stacks, and no other', () => {
    expect(functions.size).toBe(resourcesOf(pipeline, 'AWS::Lambda::Function').length);
    expect(2 * queues.length).toBe(resourcesOf(pipeline, 'AWS::SQS::Queue').length);
    expect(queues.length + STREAM_CONSUMERS.length).toBe(mappings.length);
  });

  it.each([...functions.values()].map((definition): [string, FunctionDefinition] => [definition.name, definition]))(
    'gives %s its time and its environment',
    (name, { timeoutMs, environment }) => {
      const { Timeout, Environment } = functionOf(name)[1].Properties;
      const { NODE_OPTIONS: _, ...variables } = Environment.Variables as Record<string, unknown>;
      expect(timeoutMs).toBe(Timeout * 1000);
      expect(Object.keys(environment).sort()).toEqual(Object.keys(variables).sort());
      // Names, URLs and ids of resources exist after a deployment only, and the provider is another one.
      const literals = Object.entries(variables).filter(([key, value]) => typeof value === 'string' && key !== 'PAYMENT_PROVIDER_URL');
      for (const [key, value] of literals) expect([key, environment[key]]).toEqual([key, value]);
    },
  );

  it.each(queues.map((queue): [string, RedrivenQueue] => [queue.queueName, queue]))('has %s with its limits', (name, queue) => {
    const [id, { Properties }] = queueOf(name);
    const [lettersId, letters] = lettersOf(name);
    expect(Properties).toMatchObject({ VisibilityTimeout: queue.visibilityTimeoutSeconds, MessageRetentionPeriod: RETENTION_SECONDS });
    expect(letters.Properties['MessageRetentionPeriod']).toBe(RETENTION_SECONDS);
    expect([Properties['FifoQueue'] ?? false, letters.Properties['FifoQueue'] ?? false]).toEqual(
      name.endsWith('.fifo') ? [true, true] : [false, false],
    );
    expect(Properties['RedrivePolicy']).toEqual({
      maxReceiveCount: queue.maxReceiveCount,
      deadLetterTargetArn: { 'Fn::GetAtt': [lettersId, 'Arn'] },
    });
    const mapping = mappings.find(({ EventSourceArn }) => EventSourceArn['Fn::GetAtt']?.[0] === id);
    expect(mapping).toMatchObject({ BatchSize: queue.batchSize, ScalingConfig: { MaximumConcurrency: queue.maxConcurrency } });
    expect(functionBehind(pipeline, mapping?.['FunctionName'])).toBe(functionOf(queue.functionName)[0]);
    // Neither is simulated: a batch is taken as soon as there is a message.
    expect([mapping?.['MaximumBatchingWindowInSeconds'], mapping?.['FilterCriteria']]).toEqual([undefined, undefined]);
  });

  it.each(STREAM_CONSUMERS.map((consumer) => [consumer.functionName, consumer] as const))(
    'shows %s the records its filters let through, for as long',
    (name, consumer) => {
      const mapping = mappings.find(({ FunctionName }) => functionBehind(pipeline, FunctionName) === functionOf(name)[0]);
      const patterns = mapping?.['FilterCriteria'].Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));
      expect(patterns).toEqual(consumer.filters);
      expect(mapping).toMatchObject({
        BatchSize: consumer.batchSize,
        MaximumRecordAgeInSeconds: consumer.maxRecordAgeMs / 1000,
        MaximumRetryAttempts: consumer.retryAttempts,
        BisectBatchOnFunctionError: true,
      });
    },
  );

  it('is a prod stage as far as a running pipeline can tell', () => {
    const settings = settingsOf('prod');
    expect(SETTINGS).toEqual({
      keyHorizonSeconds: settings.providerKeyHorizonSeconds,
      unresolvedAfterSeconds: settings.unresolvedAfterSeconds,
      callsPerSecond: settings.rateLimits,
      cacheTtlSeconds: settings.cacheTtlSeconds,
    });
  });
});
