import { Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { jobs } from '#shared/jobs/index.ts';
import { readSettings } from '../../infra/settings.ts';
import { resourceNamed, resourcesOf, synthesize } from './synthesize.ts';

// B85
const stages = ['local', 'test', 'prod'] as const;
const built = Object.fromEntries(stages.map((stage) => [stage, synthesize(stage, { validate: true })])) as Record<
  (typeof stages)[number],
  ReturnType<typeof synthesize>
>;
const NAME_PROPERTIES = ['TableName', 'BucketName', 'QueueName', 'RoleName', 'LogGroupName', 'PolicyName'];

describe.each(stages)('stage %s', (stage) => {
  const { all, data, pipeline, terminationProtection, tags, doubts } = built[stage];

  it('passes the rules CloudFormation has for templates', () => {
    expect(doubts).toEqual([]);
  });

  it('leaves every name to CloudFormation, so that two stages fit into one account', () => {
    for (const [id, { Type, Properties }] of all.flatMap(({ Resources }) => Object.entries(Resources))) {
      // A custom resource is told the name of what it works on.
      if (Type.startsWith('Custom::')) continue;
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

  it('says of everything whose it is and what for', () => {
    expect(Object.keys(tags).length).toBeGreaterThanOrEqual(2);
    for (const ofStack of Object.values(tags)) expect(ofStack).toEqual({ project: 'andal', stage });
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

  it('is asked for at the deployment where prod is synthesised without one, and has no default', () => {
    const { pipeline } = synthesize('prod', { change: (settings) => ({ ...settings, paymentProviderUrl: undefined }) });
    expect(pipeline.Parameters?.['PaymentProviderUrl']).toMatchObject({ Type: 'String', AllowedPattern: '^https://\\S+$' });
    expect(pipeline.Parameters?.['PaymentProviderUrl']).not.toHaveProperty('Default');
    const urls = resourcesOf(pipeline, 'AWS::Lambda::Function').flatMap(
      ([, { Properties }]) => Properties['Environment']?.Variables?.PAYMENT_PROVIDER_URL ?? [],
    );
    expect(urls).toEqual(jobs.map(() => ({ Ref: 'PaymentProviderUrl' })));
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
      'AWS::Lambda::Alias',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
      'AWS::S3::Bucket',
      'AWS::SQS::Queue',
    ]);
  });
});

describe('stage test', () => {
  const { all, data } = built.test;

  it('leaves nothing behind: whatever it makes is deleted with it, the exports in the bucket and what was logged about that included', () => {
    const resources = all.flatMap(({ Resources }) => Object.entries(Resources));
    for (const [id, { DeletionPolicy, UpdateReplacePolicy }] of resources)
      expect([DeletionPolicy, UpdateReplacePolicy], id).not.toContain('Retain');
    const [bucket] = resourceNamed(data, 'AWS::S3::Bucket', 'ExportBucket');
    expect(resourcesOf(data, 'AWS::S3::Bucket').map(([id]) => id)).toEqual([bucket]);
    expect(resourcesOf(data, 'Custom::S3AutoDeleteObjects').map(([, { Properties }]) => Properties['BucketName'])).toEqual([
      { Ref: bucket },
    ]);
  });

  it('empties the bucket with a role that may not make its log group anew', () => {
    const [, role] = resourceNamed(data, 'AWS::IAM::Role', 'CustomS3AutoDelete');
    expect(role.Properties['ManagedPolicyArns']).toBeUndefined();
    const [logs] = resourceNamed(data, 'AWS::Logs::LogGroup', 'EmptyingLogs');
    expect(
      role.Properties['Policies'].map(({ PolicyDocument }: { PolicyDocument: { Statement: unknown } }) => PolicyDocument.Statement),
    ).toEqual([[{ Effect: 'Allow', Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: { 'Fn::GetAtt': [logs, 'Arn'] } }]]);
  });

  it('lets nobody at the sandbox who does not sign, and only the workers that charge', () => {
    const routes = resourcesOf(built.test.sandbox!, 'AWS::ApiGatewayV2::Route').map(
      ([, { Properties }]) => Properties['AuthorizationType'],
    );
    expect(routes).toEqual(['AWS_IAM']);
    for (const stage of stages) {
      const signs = resourcesOf(built[stage].pipeline, 'AWS::Lambda::Function')
        .filter(([, { Properties }]) => Properties['Environment'].Variables.PAYMENT_PROVIDER_AUTHORIZATION === 'iam')
        .map(([id]) => id.replace(/Function.*/, ''));
      // All of them read the setting; those that charge are granted the call (iam.test.ts).
      expect(signs.length).toBe(stage === 'test' ? jobs.length : 0);
    }
  });
});

describe('the order API', () => {
  const routesWith = (jwt: Record<string, string>) => {
    const { pipeline } = synthesize('prod', {
      change: (settings) => ({ ...settings, ...readSettings({ ...jwt, stage: 'prod', paymentProviderUrl: 'https://payments.example' }) }),
    });
    return { pipeline, routes: resourcesOf(pipeline, 'AWS::ApiGatewayV2::Route').map(([, { Properties }]) => Properties) };
  };

  it('takes tokens of a named issuer for a named audience instead of signatures', () => {
    const { pipeline, routes } = routesWith({ jwtIssuer: 'https://issuer.example', jwtAudience: 'orders,back-office' });
    const [id, authorizer] = resourceNamed(pipeline, 'AWS::ApiGatewayV2::Authorizer', '');
    expect(authorizer.Properties).toMatchObject({
      AuthorizerType: 'JWT',
      JwtConfiguration: { Issuer: 'https://issuer.example', Audience: ['orders', 'back-office'] },
    });
    for (const route of routes) expect([route['AuthorizationType'], route['AuthorizerId']]).toEqual(['JWT', { Ref: id }]);
  });

  it('writes down which route was called and how it ended, and nothing that is somebody’s', () => {
    const [, stage] = resourceNamed(built.prod.pipeline, 'AWS::ApiGatewayV2::Stage', 'OrderApi');
    const logged: string = stage.Properties['AccessLogSettings'].Format;
    expect(Object.values(JSON.parse(logged)).sort()).toEqual([
      '$context.error.responseType',
      '$context.integrationLatency',
      '$context.integrationStatus',
      '$context.requestId',
      '$context.requestTimeEpoch',
      '$context.responseLatency',
      '$context.routeKey',
      '$context.status',
    ]);
    expect(stage.Properties['DefaultRouteSettings']).toEqual({ ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 });
  });
});

describe('the stacks', () => {
  const without = { alarms: false, rollout: 'at-once', tracing: false, apiAccessLogs: false, bucketAccessLogs: false } as const;
  it.each(['test', 'prod'] as const)('of stage %s need only those before them, whatever the settings turn on or off', (stage) => {
    const order = ['Data', 'Sandbox', 'Pipeline', 'Observability'];
    for (const { app } of [built[stage], synthesize(stage, { change: (settings) => ({ ...settings, ...without }) })])
      for (const stack of app.node.children.filter((child) => Stack.isStack(child)))
        for (const needed of stack.dependencies) expect(order.indexOf(partOf(needed))).toBeLessThan(order.indexOf(partOf(stack)));
  });
});

const partOf = ({ stackName }: Stack): string => stackName.replace(/^.*-/, '');
