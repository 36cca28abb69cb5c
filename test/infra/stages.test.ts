import { describe, expect, it } from 'vitest';
import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { jobs } from '#shared/jobs/index.ts';
import { resourceNamed, resourcesOf, synthesize } from './synthesize.ts';

// B85
const stages = ['local', 'test', 'prod'] as const;
const built = Object.fromEntries(stages.map((stage) => [stage, synthesize(stage, { validate: true })])) as Record<
  (typeof stages)[number],
  ReturnType<typeof synthesize>
>;
const NAME_PROPERTIES = ['TableName', 'BucketName', 'QueueName', 'RoleName', 'LogGroupName', 'PolicyName'];

describe.each(stages)('stage %s', (stage) => {
  const { all, data, pipeline, terminationProtection, doubts } = built[stage];

  it('passes the rules CloudFormation has for templates', () => {
    expect(doubts).toEqual([]);
  });

  it('leaves every name to CloudFormation, so that two stages fit into one account', () => {
    for (const [id, { Type, Properties }] of all.flatMap(({ Resources }) => Object.entries(Resources))) {
      // An inline policy has to have a name; it is unique inside its role only.
      const own = NAME_PROPERTIES.filter((name) => !(Type === 'AWS::IAM::Policy' && name === 'PolicyName'));
      for (const name of own) expect(Properties?.[name], `${id} ${name}`).toBeUndefined();
      if (Type === 'AWS::Lambda::Function') expect(Properties['FunctionName'], id).toBeUndefined();
    }
  });

  it('says where everything is, in the words of the contract', () => {
    const names = all.flatMap(({ Outputs }) => Object.keys(Outputs)).filter((name) => !name.startsWith('Exports'));
    const { sandboxUrl, sandboxTable, ...always } = STACK_OUTPUTS;
    const expected = [...Object.values(always), ...jobs.flatMap(({ kind }) => Object.values(jobOutputs(kind)))];
    expect(names.sort()).toEqual([...expected, ...(stage === 'prod' ? [] : [sandboxUrl, sandboxTable])].sort());
  });

  it('protects what cannot be made again in prod, and nowhere else', () => {
    const kept = [
      ...resourcesOf(data, 'AWS::DynamoDB::Table'),
      ...resourcesOf(data, 'AWS::S3::Bucket'),
      ...resourcesOf(pipeline, 'AWS::SQS::Queue'),
      ...resourcesOf(pipeline, 'AWS::Logs::LogGroup'),
    ];
    for (const [id, resource] of kept) expect(resource.DeletionPolicy, id).toBe(stage === 'prod' ? 'Retain' : 'Delete');
    for (const [, { Properties }] of resourcesOf(data, 'AWS::DynamoDB::Table'))
      expect(Properties['DeletionProtectionEnabled'] ?? false).toBe(stage === 'prod');
    for (const protectedFromTermination of Object.values(terminationProtection)) expect(protectedFromTermination).toBe(stage === 'prod');
  });

  it('pays for tables by use and lets them expire what they may', () => {
    const expiry = Object.fromEntries(
      resourcesOf(data, 'AWS::DynamoDB::Table').map(([id, { Properties }]) => {
        expect(Properties['BillingMode']).toBe('PAY_PER_REQUEST');
        return [id.replace(/Table.*/, ''), Properties['TimeToLiveSpecification']?.AttributeName];
      }),
    );
    expect(expiry).toEqual({ State: 'expiresAt', Control: 'expiresAt', Cache: 'expiresAt', Mail: undefined });
  });

  it('indexes only what is overdue', () => {
    const [, { Properties }] = resourceNamed(data, 'AWS::DynamoDB::Table', 'StateTable');
    expect(Properties['GlobalSecondaryIndexes']).toEqual([
      {
        IndexName: 'overdue',
        KeySchema: [
          { AttributeName: 'overdueShard', KeyType: 'HASH' },
          { AttributeName: 'overdueAtMs', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
    expect(Properties['AttributeDefinitions']).toContainEqual({ AttributeName: 'overdueAtMs', AttributeType: 'N' });
  });

  it('can go back to any second of the State table on AWS', () => {
    const [, { Properties }] = resourceNamed(data, 'AWS::DynamoDB::Table', 'StateTable');
    expect(Properties['PointInTimeRecoverySpecification'].PointInTimeRecoveryEnabled).toBe(stage !== 'local');
  });

  it('opens its order API to signed callers only, but on the emulator', () => {
    const routes = resourcesOf(pipeline, 'AWS::ApiGatewayV2::Route').map(([, { Properties }]) => Properties);
    expect(routes.map(({ RouteKey }) => RouteKey).sort()).toEqual([
      'GET /users/{userId}/order-summary',
      'GET /users/{userId}/orders/{orderId}',
      'POST /stock/{sku}/adjustments',
      'POST /users/{userId}/exports',
      'POST /users/{userId}/orders',
      'POST /users/{userId}/orders/{orderId}/payment-attempts',
      'POST /users/{userId}/orders/{orderId}/refunds',
    ]);
    for (const { AuthorizationType } of routes) expect(AuthorizationType).toBe(stage === 'local' ? 'NONE' : 'AWS_IAM');
  });
});

describe('the payment provider', () => {
  const providerUrlOf = (stage: (typeof stages)[number]) =>
    resourceNamed(built[stage].pipeline, 'AWS::Lambda::Function', 'Workercapturepayment')[1].Properties['Environment'].Variables
      .PAYMENT_PROVIDER_URL;

  it('is the one that was named in prod, which has no sandbox', () => {
    expect(built.prod.sandbox).toBeUndefined();
    expect(providerUrlOf('prod')).toBe('https://payments.example');
  });

  it('is the sandbox by its ordinary address in stage test', () => {
    expect(JSON.stringify(providerUrlOf('test'))).toMatch(/Fn::ImportValue.*ApiEndpoint/);
  });

  it('is the sandbox by its path on the emulator, whose host names Node cannot resolve', () => {
    expect(JSON.stringify(providerUrlOf('local'))).toMatch(/http:\/\/127\.0\.0\.1:4566\/_aws\/execute-api\/.*Fn::ImportValue.*\/\$default/);
    expect(JSON.stringify(built.local.pipeline.Outputs[STACK_OUTPUTS.orderApiUrl]!.Value)).toContain(
      'http://127.0.0.1:4566/_aws/execute-api/',
    );
  });
});

describe('the local stage', () => {
  it('uses only what the emulator knows', () => {
    const types = new Set(built.local.all.flatMap(({ Resources }) => Object.values(Resources).map(({ Type }) => Type)));
    expect([...types].sort()).toEqual([
      'AWS::ApiGatewayV2::Api',
      'AWS::ApiGatewayV2::Integration',
      'AWS::ApiGatewayV2::Route',
      'AWS::ApiGatewayV2::Stage',
      'AWS::DynamoDB::Table',
      'AWS::Events::Rule',
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
      'AWS::S3::Bucket',
      'AWS::SQS::Queue',
    ]);
  });
});
