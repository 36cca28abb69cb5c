import { describe, expect, it } from 'vitest';
import { METRIC_NAMESPACE, METRICS } from '#shared/contract/metric-names.ts';
import { jobs } from '#shared/jobs/index.ts';
import { functionBehind, resourceNamed, resourcesOf, synthesize } from './synthesize.ts';

// B85 B89
const stages = ['local', 'test', 'prod'] as const;

describe('an emulator that checks rights', () => {
  it('is granted by the batch what AWS grants by one name, and AWS is not', () => {
    const grants = (stage: 'local' | 'test') => JSON.stringify(resourcesOf(synthesize(stage).pipeline, 'AWS::IAM::Policy'));
    for (const action of ['sqs:SendMessageBatch', 'sqs:ChangeMessageVisibilityBatch']) {
      expect(grants('local')).toContain(action);
      expect(grants('test')).not.toContain(action);
    }
  });
});

describe.each(stages)('callers in stage %s', (stage) => {
  const { pipeline } = synthesize(stage);

  it('name the alias: mappings, the API and the schedules', () => {
    const named = [
      ...resourcesOf(pipeline, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties['FunctionName']),
      ...resourcesOf(pipeline, 'AWS::ApiGatewayV2::Integration').map(([, { Properties }]) => Properties['IntegrationUri']),
      ...resourcesOf(pipeline, 'AWS::Events::Rule').flatMap(([, { Properties }]) =>
        Properties['Targets'].map(({ Arn }: { Arn: unknown }) => Arn),
      ),
    ];
    expect(named.length).toBeGreaterThan(jobs.length + 10);
    const functions = resourcesOf(pipeline, 'AWS::Lambda::Function').map(([id]) => id);
    expect([...new Set(named.map((reference) => functionBehind(pipeline, reference)))].sort()).toEqual(functions.sort());
  });

  it('are let in at the alias only', () => {
    for (const [id, { Properties }] of resourcesOf(pipeline, 'AWS::Lambda::Permission'))
      expect(() => functionBehind(pipeline, Properties['FunctionName']), id).not.toThrow();
  });
});

describe('the local stage', () => {
  const { all } = synthesize('local');

  it('follows the newest code and settings, and needs nothing that shifts traffic', () => {
    const aliases = all.flatMap((template) => resourcesOf(template, 'AWS::Lambda::Alias'));
    for (const [, { Properties }] of aliases) expect(Properties).toMatchObject({ Name: 'live', FunctionVersion: '$LATEST' });
    expect(all.flatMap(({ Resources }) => Object.values(Resources)).filter(({ Type }) => Type.startsWith('AWS::CodeDeploy'))).toEqual([]);
  });
});

describe.each(['test', 'prod'] as const)('a new version in stage %s', (stage) => {
  const { pipeline } = synthesize(stage);
  const aliases = resourcesOf(pipeline, 'AWS::Lambda::Alias');
  const groups = resourcesOf(pipeline, 'AWS::CodeDeploy::DeploymentGroup');
  const groupOf = (alias: (typeof aliases)[number][1]) => {
    const update = (alias as unknown as { UpdatePolicy: Record<string, { DeploymentGroupName: { Ref: string } }> }).UpdatePolicy;
    return pipeline.Resources[update['CodeDeployLambdaAliasUpdate']!.DeploymentGroupName.Ref]!.Properties;
  };
  const alarmsOf = (prefix: string) =>
    groupOf(resourceNamed(pipeline, 'AWS::Lambda::Alias', prefix)[1])['AlarmConfiguration'].Alarms.map(
      ({ Name }: { Name: { Ref: string } }) => pipeline.Resources[Name.Ref]!.Properties,
    );

  it('gets a tenth of the work of every function first, and goes back by itself', () => {
    expect(aliases).toHaveLength(resourcesOf(pipeline, 'AWS::Lambda::Function').length);
    expect(groups).toHaveLength(aliases.length);
    for (const [, alias] of aliases) {
      expect(JSON.stringify(alias.Properties['FunctionVersion'])).toContain('CurrentVersion');
      expect(groupOf(alias)).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
        },
        AlarmConfiguration: { Enabled: true },
      });
    }
  });

  it.each(jobs.map(({ kind }) => kind))('of the worker of %s goes back when jobs fail, which no invocation tells', (kind) => {
    const [jobsFail] = alarmsOf(`Worker${kind.replaceAll('-', '')}`);
    const metrics = jobsFail.Metrics.flatMap(({ MetricStat }: { MetricStat?: { Metric: object } }) => MetricStat?.Metric ?? []);
    expect(metrics).toHaveLength(3);
    expect(metrics).toEqual(
      expect.arrayContaining(
        [METRICS.jobsDone, METRICS.jobsFailed, METRICS.lettersBuried].map((MetricName) => ({
          MetricName,
          Namespace: METRIC_NAMESPACE,
          Dimensions: [{ Name: 'kind', Value: kind }],
        })),
      ),
    );
    // A tenth of the work fails always: well above the threshold.
    expect(jobsFail).toMatchObject({ ComparisonOperator: 'GreaterThanThreshold', TreatMissingData: 'notBreaching' });
    expect(jobsFail.Threshold).toBeLessThan(0.1);
  });

  it('goes back when its invocations fail, as seen at the alias and not at functions nobody calls', () => {
    for (const [id, alias] of aliases) {
      const alarms = groupOf(alias)['AlarmConfiguration'].Alarms.map(
        ({ Name }: { Name: { Ref: string } }) => pipeline.Resources[Name.Ref]!.Properties,
      );
      const errors = alarms.filter(({ MetricName }: { MetricName?: string }) => MetricName === 'Errors');
      expect(errors, id).toHaveLength(1);
      expect(errors[0]).toMatchObject({
        Namespace: 'AWS/Lambda',
        TreatMissingData: 'notBreaching',
        Threshold: 0,
        Dimensions: [
          { Name: 'FunctionName', Value: alias.Properties['FunctionName'] },
          { Name: 'Resource', Value: { 'Fn::Join': ['', [alias.Properties['FunctionName'], ':live']] } },
        ],
      });
    }
  });

  it('is weighed by a role that may do nothing else', () => {
    const [roleId] = resourceNamed(pipeline, 'AWS::IAM::Role', 'RolloutRole');
    expect(pipeline.Resources[roleId]!.Properties['ManagedPolicyArns']).toBeUndefined();
    for (const [, { Properties }] of groups) expect(Properties['ServiceRoleArn']).toEqual({ 'Fn::GetAtt': [roleId, 'Arn'] });
    const [, policy] = resourceNamed(pipeline, 'AWS::IAM::Policy', 'RolloutRoleDefaultPolicy');
    const actions = policy.Properties['PolicyDocument'].Statement.flatMap(({ Action }: { Action: string | string[] }) => Action);
    expect(actions.sort()).toEqual([
      'cloudwatch:DescribeAlarms',
      'lambda:GetAlias',
      'lambda:GetProvisionedConcurrencyConfig',
      'lambda:UpdateAlias',
    ]);
  });
});

describe('a repair that cannot wait', () => {
  const { pipeline } = synthesize('prod', { change: (settings) => ({ ...settings, rollout: 'at-once' }) });

  it('is a version behind the alias like any other, with nobody to shift traffic', () => {
    const aliases = resourcesOf(pipeline, 'AWS::Lambda::Alias');
    expect(aliases.length).toBeGreaterThan(jobs.length);
    for (const [, { Properties }] of aliases) expect(JSON.stringify(Properties['FunctionVersion'])).toContain('CurrentVersion');
    expect(JSON.stringify(pipeline)).not.toContain('CodeDeploy');
  });
});
