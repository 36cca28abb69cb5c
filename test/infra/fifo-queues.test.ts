import { App, Duration, Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { jobs } from '#shared/jobs/index.ts';
import { consumeQueue } from '../../infra/constructs/consume-queue.ts';
import { NodeFunction } from '../../infra/constructs/node-function.ts';
import { RedrivenQueue } from '../../infra/constructs/redriven-queue.ts';
import { functionBehind, resourceNamed, resourcesOf, settingsOf, synthesize } from './synthesize.ts';

const fifoKinds = jobs.filter(({ queue }) => queue.fifoGroup !== undefined);
const FIFO = {
  FifoQueue: true,
  ContentBasedDeduplication: false,
  DeduplicationScope: 'messageGroup',
  FifoThroughputLimit: 'perMessageGroupId',
};

describe.each(['local', 'test', 'prod'] as const)('in stage %s', (stage) => {
  const { pipeline } = synthesize(stage);
  const queuesOf = (kind: string) =>
    ['Queue', 'DeadLetterQueue'].map(
      (part) => resourceNamed(pipeline, 'AWS::SQS::Queue', `Queue${kind.replaceAll('-', '')}${part}`)[1].Properties,
    );

  it.each(fifoKinds.map(({ kind }) => kind))(
    '%s has a FIFO queue, and a FIFO queue for its dead letters, whose groups do not share a limit',
    (kind) => {
      for (const properties of queuesOf(kind)) expect(properties).toMatchObject(FIFO);
    },
  );

  it('no other queue is one', () => {
    const fifo = resourcesOf(pipeline, 'AWS::SQS::Queue').filter(([, { Properties }]) => Properties['FifoQueue'] !== undefined);
    expect(fifo).toHaveLength(2 * fifoKinds.length);
  });

  it.each(fifoKinds.map(({ kind, queue }) => [kind, queue] as const))(
    'the mapping of %s has a concurrency and no batching window',
    (kind, { batchSize, maxConcurrency }) => {
      const [functionId] = resourceNamed(pipeline, 'AWS::Lambda::Function', `Worker${kind.replaceAll('-', '')}`);
      const mapping = resourcesOf(pipeline, 'AWS::Lambda::EventSourceMapping').find(
        ([, { Properties }]) => functionBehind(pipeline, Properties['FunctionName']) === functionId,
      );
      // A laptop runs one process per concurrent batch, so stage local bounds what the definition asks for.
      const MaximumConcurrency = stage === 'local' ? Math.min(maxConcurrency, 2) : maxConcurrency;
      expect(mapping?.[1].Properties).toMatchObject({ BatchSize: batchSize, ScalingConfig: { MaximumConcurrency } });
      expect(mapping?.[1].Properties['MaximumBatchingWindowInSeconds']).toBeUndefined();
    },
  );
});

describe('a FIFO queue', () => {
  const build = (options: { batchSize: number; batchingWindowSeconds?: number }) => () => {
    const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Stack');
    const settings = settingsOf('test');
    const source = new RedrivenQueue(stack, 'Source', { settings, visibilityTimeoutSeconds: 600, maxReceiveCount: 10, fifo: true });
    const timeout = Duration.seconds(10);
    const consumer = new NodeFunction(stack, 'Consumer', {
      settings,
      folder: 'execute-job',
      schema: z.object({}),
      environment: {},
      timeout,
    });
    consumeQueue(consumer, source, options);
  };

  it('stops the synthesis when it is asked for what it cannot do', () => {
    expect(build({ batchSize: 11 })).toThrow(/at most 10 messages/);
    expect(build({ batchSize: 10, batchingWindowSeconds: 1 })).toThrow(/no batching window/);
    expect(build({ batchSize: 10 })).not.toThrow();
  });
});
