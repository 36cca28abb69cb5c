import { App, Duration, Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MAX_RECEIVE_COUNT } from '#shared/contract/limits.ts';
import { jobs } from '#shared/jobs/index.ts';
import { consumeQueue } from '../../infra/constructs/consume-queue.ts';
import { NodeFunction } from '../../infra/constructs/node-function.ts';
import { RedrivenQueue } from '../../infra/constructs/redriven-queue.ts';
import { functionBehind, resourceNamed, resourcesOf, settingsOf, synthesize } from './synthesize.ts';

// B20 B26 B27 B28 B88
const stages = ['local', 'test', 'prod'] as const;
const FOURTEEN_DAYS_SECONDS = 14 * 24 * 3600;

describe.each(stages)('queues of stage %s', (stage) => {
  const { pipeline } = synthesize(stage);
  const queues = resourcesOf(pipeline, 'AWS::SQS::Queue');
  const mappings = resourcesOf(pipeline, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties);
  const queueMappings = mappings.filter(
    ({ EventSourceArn }) => pipeline.Resources[EventSourceArn['Fn::GetAtt']?.[0]]?.Type === 'AWS::SQS::Queue',
  );

  it('are two for each job kind and each retry: one to work from, one for dead letters', () => {
    expect(queues).toHaveLength(2 * (jobs.length + 2));
    expect(queues.filter(([, { Properties }]) => Properties['RedrivePolicy'] !== undefined)).toHaveLength(jobs.length + 2);
  });

  it('are each consumed by a mapping that hands back only what failed', () => {
    expect(queueMappings).toHaveLength(jobs.length + 2);
    for (const mapping of mappings) expect(mapping['FunctionResponseTypes']).toEqual(['ReportBatchItemFailures']);
  });

  it('hide a message for six function timeouts and the batching window', () => {
    for (const { EventSourceArn, FunctionName, MaximumBatchingWindowInSeconds = 0 } of queueMappings) {
      const visibilitySeconds = pipeline.Resources[EventSourceArn['Fn::GetAtt'][0]]!.Properties['VisibilityTimeout'];
      const timeoutSeconds = pipeline.Resources[functionBehind(pipeline, FunctionName)]!.Properties['Timeout'];
      expect(visibilitySeconds).toBeGreaterThanOrEqual(6 * timeoutSeconds + MaximumBatchingWindowInSeconds);
    }
  });

  it('keep messages and letters as long as SQS can', () => {
    for (const [, { Properties }] of queues) expect(Properties['MessageRetentionPeriod']).toBe(FOURTEEN_DAYS_SECONDS);
  });

  it('are encrypted with a key that needs no rights of its own', () => {
    for (const [, { Properties }] of queues) expect(Properties).toMatchObject({ SqsManagedSseEnabled: true });
  });

  it.each(jobs.map(({ kind, queue }) => [kind, queue] as const))('feed %s as its definition says', (kind, queue) => {
    const logicalId = `Queue${kind.replaceAll('-', '')}`;
    const [id, source] = resourceNamed(pipeline, 'AWS::SQS::Queue', `${logicalId}Queue`);
    const [letters] = resourceNamed(pipeline, 'AWS::SQS::Queue', `${logicalId}DeadLetterQueue`);
    expect(source.Properties['RedrivePolicy']).toEqual({
      maxReceiveCount: MAX_RECEIVE_COUNT,
      deadLetterTargetArn: { 'Fn::GetAtt': [letters, 'Arn'] },
    });
    const mapping = queueMappings.find(({ EventSourceArn }) => EventSourceArn['Fn::GetAtt'][0] === id);
    // A laptop runs one process per concurrent batch, so stage local bounds what the definition asks for.
    const MaximumConcurrency = stage === 'local' ? Math.min(queue.maxConcurrency, 2) : queue.maxConcurrency;
    expect(mapping).toMatchObject({ BatchSize: queue.batchSize, ScalingConfig: { MaximumConcurrency } });
  });

  it('try a parked outbox entry every quarter of an hour for a day', () => {
    const [, failed] = resourceNamed(pipeline, 'AWS::SQS::Queue', 'OutboxDispatcherOutboxFailedQueue');
    expect(failed.Properties['VisibilityTimeout'] * failed.Properties['RedrivePolicy'].maxReceiveCount).toBe(24 * 3600);
    expect(failed.Properties['VisibilityTimeout']).toBe(15 * 60);
  });

  it('try a parked invalidation until the entry has expired by itself', () => {
    const [, retry] = resourceNamed(pipeline, 'AWS::SQS::Queue', 'CacheInvalidatorInvalidationRetryQueue');
    const triedForSeconds = retry.Properties['VisibilityTimeout'] * retry.Properties['RedrivePolicy'].maxReceiveCount;
    expect(triedForSeconds).toBeGreaterThan(settingsOf(stage).cacheTtlSeconds);
  });
});

describe('transport', () => {
  it('is encrypted for every queue on AWS', () => {
    for (const stage of ['test', 'prod'] as const) {
      const { pipeline } = synthesize(stage);
      const covered = resourcesOf(pipeline, 'AWS::SQS::QueuePolicy').flatMap(([, { Properties }]) => {
        expect(Properties['PolicyDocument'].Statement).toContainEqual(
          expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        );
        return Properties['Queues'].map(({ Ref }: { Ref: string }) => Ref);
      });
      expect(covered.sort()).toEqual(
        resourcesOf(pipeline, 'AWS::SQS::Queue')
          .map(([id]) => id)
          .sort(),
      );
    }
  });

  it('is plain on an emulator, which speaks nothing else', () => {
    expect(resourcesOf(synthesize('local').pipeline, 'AWS::SQS::QueuePolicy')).toEqual([]);
  });
});

describe('a function timeout raised without its queue', () => {
  const build = (functionTimeoutSeconds: number, batchingWindowSeconds: number) => () => {
    const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Stack');
    const settings = settingsOf('test');
    const source = new RedrivenQueue(stack, 'Source', { settings, visibilityTimeoutSeconds: 60, maxReceiveCount: 10 });
    const timeout = Duration.seconds(functionTimeoutSeconds);
    const consumer = new NodeFunction(stack, 'Consumer', {
      settings,
      folder: 'execute-job',
      schema: z.object({}),
      environment: {},
      timeout,
    });
    consumeQueue(consumer, source, { batchSize: 10, batchingWindowSeconds });
  };

  it('stops the synthesis with both numbers in the sentence', () => {
    expect(build(11, 0)).toThrow(/visibility timeout of 60 s is too short for a function timeout of 11 s.*at least 66 s/);
    expect(build(10, 1)).toThrow(/at least 61 s/);
    expect(build(10, 0)).not.toThrow();
  });
});
