import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS } from '#shared/contract/limits.ts';
import { jobOutputs } from '#shared/contract/stack-outputs.ts';
import { jobs } from '#shared/jobs/index.ts';
import { functionBehind, resourceNamed, resourcesOf, settingsOf, synthesize } from './synthesize.ts';

// B25
describe.each(['local', 'test', 'prod'] as const)('load in stage %s', (stage) => {
  const { pipeline } = synthesize(stage);
  const worker = (kind: string) => resourceNamed(pipeline, 'AWS::Lambda::Function', `Worker${kind.replaceAll('-', '')}`);
  const mappingOf = (kind: string) => {
    const [id] = worker(kind);
    const found = resourcesOf(pipeline, 'AWS::Lambda::EventSourceMapping').filter(
      ([, { Properties }]) => functionBehind(pipeline, Properties['FunctionName']) === id,
    );
    expect(found).toHaveLength(1);
    return found[0]!;
  };

  it.each(jobs.map(({ kind }) => kind))('of %s is held by its mapping, never by throttling its function', (kind) => {
    const [id, { Properties }] = mappingOf(kind);
    expect(Properties['ScalingConfig'].MaximumConcurrency).toBeGreaterThanOrEqual(2);
    // A mapping that a deployment turns on would run a kind that is paused.
    expect(Properties['Enabled']).toBeUndefined();
    expect(worker(kind)[1].Properties['ReservedConcurrentExecutions']).toBeUndefined();
    expect(pipeline.Outputs[jobOutputs(kind).mappingId]?.Value).toEqual({ Ref: id });
  });

  it('leaves deliveries that never ran far more room than attempts', () => {
    const jobQueues = resourcesOf(pipeline, 'AWS::SQS::Queue').filter(
      ([id]) => /^Queue.*Queue[0-9A-F]{8}$/.test(id) && !id.includes('DeadLetter'),
    );
    expect(jobQueues).toHaveLength(jobs.length);
    for (const [, { Properties }] of jobQueues)
      expect(Properties['RedrivePolicy'].maxReceiveCount).toBeGreaterThanOrEqual(50 * MAX_ATTEMPTS);
  });

  it('tells every worker the limit of each dependency', () => {
    for (const { kind } of jobs)
      expect(JSON.parse(worker(kind)[1].Properties['Environment'].Variables.RATE_LIMITS)).toEqual(settingsOf(stage).rateLimits);
    for (const { dependency } of jobs) if (dependency !== undefined) expect(settingsOf(stage).rateLimits[dependency]).toBeGreaterThan(0);
  });

  it('is governed each minute, over all job queues, without a second try of a run that failed', () => {
    const [id, { Properties }] = resourceNamed(pipeline, 'AWS::Lambda::Function', 'GovernorGovernQueues');
    const rules = resourcesOf(pipeline, 'AWS::Events::Rule').filter(
      ([, rule]) => functionBehind(pipeline, rule.Properties['Targets'][0].Arn) === id,
    );
    expect(rules.map(([, rule]) => rule.Properties['ScheduleExpression'])).toEqual(['rate(1 minute)']);
    expect(rules[0]?.[1].Properties['Targets'][0].RetryPolicy.MaximumRetryAttempts).toBe(0);
    expect(Properties['Timeout']).toBeLessThan(60);
    const ids = JSON.stringify(Properties['Environment'].Variables.MAPPING_IDS);
    for (const { kind } of jobs) expect(ids).toContain(`${kind}`);
    for (const { kind } of jobs) expect(ids).toContain(`{"Ref":"${mappingOf(kind)[0]}"}`);
  });
});
