import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as environment from '#shared/contract/environment.ts';
import { ACKNOWLEDGED_FINDINGS } from '../../infra/acknowledged-findings.ts';
import { acknowledges, findingsIn } from '../../infra/checks/reviewed-findings.ts';
import { readSettings, type Settings } from '../../infra/settings.ts';
import { iamMatrixOf } from './iam-matrix.ts';
import { FUNCTIONS } from './simulated-names.ts';
import { type CfnTemplate, resourceNamed, resourcesOf, synthesize } from './synthesize.ts';

const withValkey = (settings: Settings): Settings => ({ ...settings, cache: 'valkey' });
const without = synthesize('prod', { bundle: true });
const { app, pipeline, doubts, directory } = synthesize('prod', { bundle: true, validate: true, change: withValkey });
afterAll(() => {
  for (const path of [without.directory, directory]) rmSync(path, { recursive: true, force: true });
});

const USERS = ['OrderApiReadOrder', 'CacheInvalidatorInvalidateCache', 'CacheInvalidatorRetryInvalidation'];
const propertiesOf = (type: string, prefix = '', template: CfnTemplate = pipeline) => resourceNamed(template, type, prefix)[1].Properties;

describe('a stage with a Valkey cache', () => {
  it('passes CloudFormation’s rules, and every finding of cdk-nag has its reason', () => {
    expect(doubts).toEqual([]);
    const open = findingsIn(app).filter((finding) => !ACKNOWLEDGED_FINDINGS.some((one) => acknowledges(one, finding)));
    expect(open.map(({ rule, at }) => `${rule} at ${at}`)).toEqual([]);
  });

  it('puts the functions that use the cache into the network, and no other', () => {
    const placed = resourcesOf(pipeline, 'AWS::Lambda::Function').filter(([, { Properties }]) => Properties['VpcConfig'] !== undefined);
    expect(placed.map(([id]) => id.replace(/Function[0-9A-F]+$/, '')).sort()).toEqual([...USERS].sort());
  });

  it('has no way out of its network but to DynamoDB and SQS', () => {
    for (const type of ['InternetGateway', 'NatGateway', 'EgressOnlyInternetGateway', 'EIP'])
      expect(resourcesOf(pipeline, `AWS::EC2::${type}`), type).toEqual([]);
    const services = resourcesOf(pipeline, 'AWS::EC2::VPCEndpoint').map(([, { Properties }]) => [
      Properties['VpcEndpointType'],
      /\.(\w+)"/.exec(JSON.stringify(Properties['ServiceName']))?.[1],
    ]);
    expect(services.sort()).toEqual([
      ['Gateway', 'dynamodb'],
      ['Interface', 'sqs'],
    ]);
  });

  it('lets only those functions at the cache, to the primaries, as one user with IAM for a password', () => {
    const cache = propertiesOf('AWS::ElastiCache::ServerlessCache');
    expect(cache).toMatchObject({ Engine: 'valkey', ServerlessCacheName: 'andal-prod' });
    const ingress = resourcesOf(pipeline, 'AWS::EC2::SecurityGroupIngress').map(([, { Properties }]) => Properties);
    expect(ingress.map(({ FromPort, ToPort, CidrIp }) => [FromPort, ToPort, CidrIp]).sort()).toEqual([
      [443, 443, undefined],
      [6379, 6379, undefined],
    ]);
    const user = propertiesOf('AWS::ElastiCache::User');
    expect(user).toMatchObject({ AuthenticationMode: { Type: 'iam' }, UserId: 'andal-prod', UserName: 'andal-prod' });
    expect(user['AccessString']).toMatch(/^on ~order:\* ~order_summary:\* -@all (?:\+[a-z|]+ ?)+$/);
    expect(cache['UserGroupId']).toEqual({ Ref: resourceNamed(pipeline, 'AWS::ElastiCache::UserGroup', '')[0] });
  });

  it('tells those functions where it is, as they will parse it', () => {
    const schemas = [environment.readOrderEnvironment, environment.invalidateCacheEnvironment, environment.retryInvalidationEnvironment];
    for (const [index, prefix] of USERS.entries()) {
      const { NODE_OPTIONS: _, ...variables } = propertiesOf('AWS::Lambda::Function', prefix)['Environment'].Variables;
      const wanted = { ...schemas[index]?.shape, ...environment.valkeyEnvironment.shape };
      expect(Object.keys(variables).sort()).toEqual(Object.keys(wanted).sort());
    }
  });

  it('has nothing that verifies a table nobody caches in', () => {
    const named = resourcesOf(pipeline, 'AWS::Lambda::Function').filter(([id]) => id.startsWith('CacheVerifier'));
    expect(named).toEqual([]);
  });

  // What a review of a change to a role looks at; the rest is as without (iam-matrix.txt).
  it('changes these rights and no other', async () => {
    const { 'verify-cache': _, ...inBoth } = FUNCTIONS;
    const lines = (template: CfnTemplate): string[] =>
      Object.entries(iamMatrixOf(template, inBoth)).flatMap(([name, actions]) =>
        Object.entries(actions).flatMap(([action, resources]) => resources.map((resource) => `${name}  ${action}  ${resource}`)),
      );
    const [before, after] = [lines(without.pipeline), lines(pipeline)];
    const changes = [
      ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
      ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
    ];
    await expect(`${changes.join('\n')}\n`).toMatchFileSnapshot('iam-matrix-valkey.txt');
  });
});

describe('a stage without one', () => {
  it('deploys nothing of it', () => {
    const types = without.all.flatMap(({ Resources }) => Object.values(Resources).map(({ Type }) => Type));
    expect(types.filter((type) => /ElastiCache|EC2/.test(type))).toEqual([]);
  });

  it('bundles no client of it, and a stage with one only where it is used', () => {
    const clientsIn = (folder: string): string[] =>
      readdirSync(folder)
        .filter((name) => name.startsWith('asset.') && readdirSync(join(folder, name)).includes('index.mjs.map'))
        .filter((name) => readFileSync(join(folder, name, 'index.mjs.map'), 'utf8').includes('node_modules/iovalkey/'));
    expect(clientsIn(without.directory)).toEqual([]);
    expect(clientsIn(directory)).toHaveLength(USERS.length);
  });
});

describe('the setting', () => {
  const prod = { stage: 'prod', paymentProviderUrl: 'https://payments.example' };
  it('is the table unless someone asks for a server, and nothing else', () => {
    expect(readSettings(prod).cache).toBe('dynamodb');
    expect(readSettings({ ...prod, cache: 'valkey' }).cache).toBe('valkey');
    expect(() => readSettings({ ...prod, cache: 'redis' })).toThrow(
      'Cache "redis" does not exist. Leave it out for the table, or pass -c cache=valkey.',
    );
    expect(() => readSettings({ cache: 'valkey' })).toThrow('Leave cache out.');
  });
});
