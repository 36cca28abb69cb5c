import { join } from 'node:path';
import { type Duration, Token } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, Architecture, type IVersion, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type * as z from 'zod';
import type { EnvironmentOf } from '#shared/contract/environment.ts';
import type { Settings } from '../settings.ts';
import { bundledCode } from './bundle-function.ts';
import { removalPolicyOf } from './removal-policy.ts';

export interface NodeFunctionProps<Schema extends z.ZodObject> {
  readonly settings: Settings;
  /** Folder under functions/. */
  readonly folder: string;
  /** What the function will parse at its cold start. */
  readonly schema: Schema;
  readonly environment: EnvironmentOf<Schema>;
  readonly timeout: Duration;
  readonly memoryMiB?: number;
  /** File in the folder; another than `index.ts` where a stage chose another part than the embedded one. */
  readonly entry?: string;
  /** Left out, the function runs outside every network of ours and reaches what AWS offers to all. */
  readonly network?: FunctionNetwork | undefined;
}

export interface FunctionNetwork {
  readonly vpc: IVpc;
  readonly subnets: SubnetSelection;
  readonly securityGroup: ISecurityGroup;
}

/** AWS knows no resource for these; without them Lambda cannot give a function its place in a network. */
const NETWORK_ACTIONS = [
  ...['ec2:CreateNetworkInterface', 'ec2:DescribeNetworkInterfaces', 'ec2:DeleteNetworkInterface'],
  ...['ec2:DescribeSubnets', 'ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'],
];

/** The alias of every function that callers and mappings name. */
export const LIVE = 'live';

/** A function whatever its environment is called. */
export type AnyNodeFunction = Pick<NodeFunction<z.ZodObject>, 'node' | 'lambda' | 'live'>;

/** What an emulator that checks rights asks for besides: it names batches apart, which AWS does not, and takes a look at one mapping for a list of all. */
const ALSO_ON_EMULATOR: Readonly<Record<string, string>> = {
  'sqs:SendMessage': 'sqs:SendMessageBatch',
  'sqs:ChangeMessageVisibility': 'sqs:ChangeMessageVisibilityBatch',
  'lambda:GetEventSourceMapping': 'lambda:ListEventSourceMappings',
};

/**
 * A function folder, bundled with everything it imports (the SDK is the locked one, not the runtime's), with its own log
 * group and a role that may write to that log group and nothing else until it is granted more.
 *
 * Whoever calls it, calls `live`: an alias is what a rollout can point at two versions at once.
 */
export class NodeFunction<Schema extends z.ZodObject> extends Construct {
  readonly lambda: LambdaFunction;
  readonly live: Alias;
  readonly timeoutSeconds: number;
  readonly #onEmulator: boolean;

  constructor(scope: Construct, id: string, props: NodeFunctionProps<Schema>) {
    super(scope, id);
    const { settings, folder, schema, environment, timeout, memoryMiB = 512, entry = 'index.ts', network } = props;
    assertLiteralsFit(schema, environment);
    const logGroup = new LogGroup(this, 'Logs', { retention: settings.logRetentionDays, removalPolicy: removalPolicyOf(settings) });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    if (network !== undefined) role.addToPolicy(new PolicyStatement({ actions: NETWORK_ACTIONS, resources: ['*'] }));

    this.#onEmulator = settings.emulatorEndpoint !== undefined;
    this.timeoutSeconds = timeout.toSeconds();
    this.lambda = new LambdaFunction(this, 'Function', {
      code: bundledCode(join(settings.functionsFolder, folder), entry),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMiB,
      timeout,
      role,
      logGroup,
      ...(network === undefined ? {} : { vpc: network.vpc, vpcSubnets: network.subnets, securityGroups: [network.securityGroup] }),
      ...(settings.tracing ? { tracing: Tracing.ACTIVE } : {}),
      environment: { ...environment, NODE_OPTIONS: '--enable-source-maps' },
    });
    const version = settings.rollout === 'latest' ? this.lambda.latestVersion : this.lambda.currentVersion;
    this.live = new Alias(this, 'Live', { aliasName: LIVE, version: version as IVersion });
  }

  /** @param actions IAM actions on exactly these resources */
  allow(actions: string[], resourceArns: string[]): void {
    const all = this.#onEmulator ? actions.flatMap((action) => [action, ALSO_ON_EMULATOR[action] ?? []].flat()) : actions;
    this.lambda.addToRolePolicy(new PolicyStatement({ actions: all, resources: resourceArns }));
  }

  /**
   * Some items of a table only.
   *
   * @param partitions how their partition keys begin
   */
  allowItems(actions: string[], tableArn: string, partitions: readonly string[]): void {
    const leadingKeys = partitions.map((prefix) => `${prefix}*`);
    const conditions = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': leadingKeys } };
    this.lambda.addToRolePolicy(new PolicyStatement({ actions, resources: [tableArn], conditions }));
  }
}

/** Values known at synth must already pass the function's own schema; names and URLs of resources are known only later. */
function assertLiteralsFit<Schema extends z.ZodObject>(schema: Schema, environment: EnvironmentOf<Schema>): void {
  schema.partial().parse(Object.fromEntries(Object.entries(environment).filter(([, value]) => !Token.isUnresolved(value))));
}
