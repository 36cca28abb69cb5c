import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import * as environment from '#shared/contract/environment.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import { jobs } from '#shared/jobs/index.ts';
import { resourceNamed, resourcesOf, settingsOf, synthesize } from './synthesize.ts';

// B26 B87
const API_GATEWAY_TIMEOUT_SECONDS = 29;
const schemas: [string, z.ZodObject][] = [
  ['OrderApiAcceptOrder', environment.acceptOrderEnvironment],
  ['OrderApiReadOrder', environment.readOrderEnvironment],
  ['OutboxDispatcherDispatchOutbox', environment.dispatchOutboxEnvironment],
  ['OutboxDispatcherRetryOutbox', environment.retryOutboxEnvironment],
  ...jobs.map(({ kind }): [string, z.ZodObject] => [`Worker${kind.replaceAll('-', '')}`, environment.executeJobEnvironment]),
  ['GovernorGovernQueues', environment.governQueuesEnvironment],
  ['RescuerRescueJobs', environment.rescueJobsEnvironment],
  ['RescuerSweepState', environment.sweepStateEnvironment],
  ['CacheInvalidatorInvalidateCache', environment.invalidateCacheEnvironment],
  ['CacheInvalidatorRetryInvalidation', environment.retryInvalidationEnvironment],
  ['CacheVerifierVerifyCache', environment.verifyCacheEnvironment],
];

describe.each(['local', 'test', 'prod'] as const)('functions of stage %s', (stage) => {
  const { pipeline, sandbox, all } = synthesize(stage);
  // The CDK's own, which empties buckets of stage test, is not ours to choose.
  const everyFunction = all.flatMap((template) => resourcesOf(template, 'AWS::Lambda::Function'));
  const functions = everyFunction.filter(([id]) => !id.startsWith('CustomS3AutoDelete'));

  it('run on Node 24 and arm64 with stack traces that name source lines', () => {
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
      expect(Properties['Environment'].Variables.NODE_OPTIONS).toBe('--enable-source-maps');
    }
  });

  it('have a log group each, that forgets after a while', () => {
    const groups = all.flatMap((template) => resourcesOf(template, 'AWS::Logs::LogGroup')).filter(([id]) => !id.includes('AccessLog'));
    expect(groups).toHaveLength(everyFunction.length);
    for (const [, { Properties }] of groups) expect(Properties['RetentionInDays']).toBe(settingsOf(stage).logRetentionDays);
    expect(new Set(everyFunction.map(([, { Properties }]) => Properties['LoggingConfig'].LogGroup.Ref))).toHaveLength(everyFunction.length);
  });

  it.each(schemas)('give %s the environment it will parse', (prefix, schema) => {
    const [, { Properties }] = resourceNamed(pipeline, 'AWS::Lambda::Function', prefix);
    const { NODE_OPTIONS, ...variables } = Properties['Environment'].Variables;
    // Names and URLs of resources exist after the deployment only; a URL is a name too.
    const deployed = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : 'https://deployed.example']),
    );
    expect(schema.safeParse(deployed).error).toBeUndefined();
    expect(Object.keys(variables).sort()).toEqual(Object.keys(schema.shape).sort());
  });

  it.each(jobs.map(({ kind, timing }) => [kind, timing] as const))('give %s the time its definition asks for', (kind, timing) => {
    const [, { Properties }] = resourceNamed(pipeline, 'AWS::Lambda::Function', `Worker${kind.replaceAll('-', '')}`);
    expect(Properties['Timeout']).toBe(deriveTiming(timing, { scale: settingsOf(stage).timeScale }).functionTimeoutSeconds);
    expect(Properties['Environment'].Variables).toMatchObject({ JOB_KIND: kind, TIME_SCALE: String(settingsOf(stage).timeScale) });
  });

  it('tell the dispatchers the queue of every job kind', () => {
    for (const prefix of ['OutboxDispatcherDispatchOutbox', 'OutboxDispatcherRetryOutbox']) {
      const [, { Properties }] = resourceNamed(pipeline, 'AWS::Lambda::Function', prefix);
      const joined = Properties['Environment'].Variables.QUEUE_URLS['Fn::Join'][1]
        .map((part: unknown) => (typeof part === 'string' ? part : 'url'))
        .join('');
      expect(Object.keys(JSON.parse(joined))).toEqual(jobs.map(({ kind }) => kind));
    }
  });

  it('answer HTTP before the gateway gives up', () => {
    const behindTheGateway = [
      resourceNamed(pipeline, 'AWS::Lambda::Function', 'OrderApiAcceptOrder'),
      resourceNamed(pipeline, 'AWS::Lambda::Function', 'OrderApiReadOrder'),
      ...(sandbox === undefined ? [] : resourcesOf(sandbox, 'AWS::Lambda::Function')),
    ];
    for (const [, { Properties }] of behindTheGateway) expect(Properties['Timeout']).toBeLessThanOrEqual(API_GATEWAY_TIMEOUT_SECONDS);
  });
});

describe.each(['local', 'test'] as const)('the sandbox of stage %s', (stage) => {
  it('withholds a slow answer until every caller has given up, and lives to give it', () => {
    const [, { Properties }] = resourceNamed(synthesize(stage).sandbox!, 'AWS::Lambda::Function', 'PaymentSandbox');
    const slowAnswerMs = Number(Properties['Environment'].Variables.SLOW_ANSWER_MS);
    const scale = settingsOf(stage).timeScale;
    for (const { dependency, timing } of jobs)
      if (dependency === 'payment-provider') expect(slowAnswerMs).toBeGreaterThan(timing.dependencyTimeoutMs * scale);
    expect(Properties['Timeout'] * 1000).toBeGreaterThan(slowAnswerMs + 1_000);
  });
});
