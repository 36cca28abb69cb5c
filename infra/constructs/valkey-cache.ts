import { ArnFormat, Stack } from 'aws-cdk-lib';
import {
  FlowLogDestination,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpoint,
  InterfaceVpcEndpointAwsService,
  IpAddresses,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { CfnServerlessCache, CfnUser, CfnUserGroup } from 'aws-cdk-lib/aws-elasticache';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type * as z from 'zod';
import { CACHE_ACCESS } from '#shared/contract/cache-access.ts';
import { valkeyEnvironment } from '#shared/contract/environment.ts';
import type { Settings } from '../settings.ts';
import type { FunctionNetwork, NodeFunction } from './node-function.ts';
import { removalPolicyOf } from './removal-policy.ts';
import type { StageCache } from './stage-cache.ts';

export interface ValkeyCacheProps {
  readonly settings: Settings;
}

const ZONES = 2;
const NETWORK = '10.60.0.0/24';
const HTTPS = Port.tcp(443);
/** Primaries. The other port of a serverless cache is for reads that may be old, and nobody gets there. */
const PRIMARY_PORT = 6379;
/** Bounds what a mistake can cost; a cache that is full evicts. */
const LIMITS = { dataStorage: { maximum: 5, unit: 'GB' }, ecpuPerSecond: { maximum: 10_000 } };

/**
 * The cache on ElastiCache Serverless (Valkey), in a network without a way out: no internet gateway, no NAT. TLS is always on there, and
 * the functions log in with the credentials of their roles (IAM). They reach the State table by a gateway endpoint
 * and SQS by an interface endpoint; Lambda itself polls streams and queues and writes logs from outside.
 */
export class ValkeyCache extends Construct implements StageCache {
  readonly entry = 'index-valkey.ts';
  readonly schema = valkeyEnvironment;
  readonly environment: Readonly<Record<string, string>>;
  readonly network: FunctionNetwork;
  readonly #arns: string[];

  constructor(scope: Construct, id: string, { settings }: ValkeyCacheProps) {
    super(scope, id);
    // Both need a name of ours; a user's name and id have to be the same for IAM.
    const name = `andal-${settings.stage}`;
    const vpc = this.addNetwork(settings);
    const functions = this.addGroup('Functions', vpc, 'functions that use the cache');
    this.addEndpoints(vpc, functions);
    const servers = this.addGroup('Servers', vpc, 'the cache');
    const port = Port.tcp(PRIMARY_PORT);
    servers.addIngressRule(functions, port, 'functions that use the cache');
    functions.addEgressRule(servers, port, 'the cache');

    const user = new CfnUser(this, 'User', {
      engine: 'valkey',
      userId: name,
      userName: name,
      accessString: CACHE_ACCESS,
      authenticationMode: { Type: 'iam' },
    });
    const group = new CfnUserGroup(this, 'UserGroup', { engine: 'valkey', userGroupId: name, userIds: [user.ref] });
    const cache = new CfnServerlessCache(this, 'Cache', {
      engine: 'valkey',
      majorEngineVersion: '8',
      serverlessCacheName: name,
      description: 'What read-order answers with; loaded again from the State table when it is gone',
      userGroupId: group.ref,
      subnetIds: vpc.isolatedSubnets.map(({ subnetId }) => subnetId),
      securityGroupIds: [servers.securityGroupId],
      cacheUsageLimits: LIMITS,
    });
    this.network = { vpc, subnets: { subnetType: SubnetType.PRIVATE_ISOLATED }, securityGroup: functions };
    this.environment = { CACHE_HOST: cache.attrEndpointAddress, CACHE_PORT: String(PRIMARY_PORT), CACHE_NAME: name, CACHE_USER: name };
    this.#arns = [arnOf(this, 'serverlesscache', name), arnOf(this, 'user', name)];
  }

  /** What a user may do is in the access string: AWS knows one right, to log in. */
  grant(lambda: Pick<NodeFunction<z.ZodObject>, 'allow'>): void {
    lambda.allow(['elasticache:Connect'], this.#arns);
  }

  private addNetwork(settings: Settings): IVpc {
    const vpc = new Vpc(this, 'Network', {
      ipAddresses: IpAddresses.cidr(NETWORK),
      maxAzs: ZONES,
      natGateways: 0,
      subnetConfiguration: [{ name: 'Isolated', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 26 }],
      // The CDK would bring a function for it; nothing is ever placed in the default group.
      restrictDefaultSecurityGroup: false,
    });
    const removalPolicy = removalPolicyOf(settings);
    const logGroup = new LogGroup(this, 'FlowLogs', { retention: settings.logRetentionDays, removalPolicy });
    vpc.addFlowLog('Flow', { destination: FlowLogDestination.toCloudWatchLogs(logGroup) });
    return vpc as IVpc;
  }

  private addGroup(id: string, vpc: IVpc, description: string): SecurityGroup {
    return new SecurityGroup(this, id, { vpc, description: `Andal: ${description}`, allowAllOutbound: false });
  }

  private addEndpoints(vpc: IVpc, functions: SecurityGroup): void {
    vpc.addGatewayEndpoint('DynamoDb', { service: GatewayVpcEndpointAwsService.DYNAMODB });
    const endpoints = this.addGroup('Endpoints', vpc, 'the endpoint of SQS');
    endpoints.addIngressRule(functions, HTTPS, 'functions that park what they could not invalidate');
    new InterfaceVpcEndpoint(this, 'Sqs', { vpc, service: InterfaceVpcEndpointAwsService.SQS, securityGroups: [endpoints], open: false });
    // DynamoDB answers at public addresses; the gateway is the only way there, and nothing else is on it.
    functions.addEgressRule(Peer.anyIpv4(), HTTPS, 'DynamoDB by its gateway, SQS by its endpoint');
  }
}

const arnOf = (scope: Construct, resource: string, resourceName: string): string =>
  Stack.of(scope).formatArn({ service: 'elasticache', resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
