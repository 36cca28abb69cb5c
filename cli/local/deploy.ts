import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { admitPlainHttp } from '../aws/bootstrap-bucket.ts';
import { type Clients, createClients } from '../aws/clients.ts';
import { describeStage, readOutputs, STACK_PARTS, type StackOutputs } from '../aws/deployment.ts';
import { describeStack, isComplete } from '../aws/stacks.ts';
import { enableDeclaredTtl } from '../aws/table-ttl.ts';
import { DEFAULT_REGION, defaultStateDirectory, LOCAL_STAGE, nothingDeployed, repositoryRoot, type Target } from '../aws/target.ts';
import { cdk } from './cdk.ts';
import { readRecord, recordOf, sameRecord, writeRecord } from './deployment-record.ts';
import { fingerprint } from './fingerprint.ts';

export type { StackOutputs } from '../aws/deployment.ts';

const BOOTSTRAP_STACK = 'CDKToolkit';
/** The account every emulator pretends to be. */
const EMULATOR_ACCOUNT = '000000000000';

type OnOutput = (line: string) => void;

export interface LocalDeployment {
  readonly endpointUrl: string;
  readonly stateDirectory?: string;
  readonly onOutput?: OnOutput;
}

/** Bootstraps and deploys stage `local`; does nothing but read when the same sources are deployed already. */
export async function deployLocal({
  endpointUrl,
  stateDirectory = defaultStateDirectory,
  onOutput,
}: LocalDeployment): Promise<StackOutputs> {
  const target: Target = { stage: LOCAL_STAGE, region: DEFAULT_REGION, endpointUrl, profile: undefined };
  const clients = createClients(target);
  const state = resolve(stateDirectory);
  try {
    if (!(await isCurrent(clients, state, endpointUrl))) await deploy(target, clients, state, onOutput);
    const outputs = await readOutputs(clients.cloudFormation, target.stage, endpointUrl);
    if (outputs === undefined) throw nothingDeployed(target);
    return outputs;
  } finally {
    clients.close();
  }
}

async function isCurrent({ cloudFormation }: Clients, state: string, endpointUrl: string): Promise<boolean> {
  const deployed = (await describeStage(cloudFormation, LOCAL_STAGE)).filter(isComplete);
  return (
    deployed.length === STACK_PARTS.length && sameRecord(readRecord(state, endpointUrl), recordOf(fingerprint(repositoryRoot), deployed))
  );
}

async function deploy(target: Target, clients: Clients, state: string, onOutput?: OnOutput): Promise<void> {
  // Taken before the synthesis: a source changed meanwhile makes the next deployment run again.
  const inputs = fingerprint(repositoryRoot);
  const cloudAssembly = join(state, 'cdk.out');
  mkdirSync(state, { recursive: true });
  await Promise.all([
    bootstrapOnce(target, clients, state, onOutput),
    cdk(['synth', '--quiet', '--context', `stage=${target.stage}`, '--output', cloudAssembly], target, { onOutput }),
  ]);
  await cdk(['deploy', '--all', '--require-approval', 'never', '--app', cloudAssembly], target, { onOutput });
  await enableDeclaredTtl(clients, target.stage);
  writeRecord(state, target.endpointUrl as string, recordOf(inputs, await describeStage(clients.cloudFormation, target.stage)));
}

async function bootstrapOnce(target: Target, { cloudFormation }: Clients, state: string, onOutput?: OnOutput): Promise<void> {
  const stack = await describeStack(cloudFormation, BOOTSTRAP_STACK);
  // Away from cdk.json, or the application would be synthesised for it as well.
  if (stack === undefined || !isComplete(stack))
    await cdk(['bootstrap', `aws://${EMULATOR_ACCOUNT}/${target.region}`], target, { onOutput, cwd: state });
  const { Outputs = [] } = (await describeStack(cloudFormation, BOOTSTRAP_STACK)) ?? {};
  await admitPlainHttp(target, Outputs.find(({ OutputKey }) => OutputKey === 'BucketName')?.OutputValue);
}

/**
 * Deploys all stacks of a stage to an AWS account.
 * @param context further `key=value` pairs for the CDK application
 */
export const deployStage = (target: Target, context: readonly string[], onOutput?: OnOutput): Promise<void> =>
  cdk(
    ['deploy', '--all', '--require-approval', 'never', ...[`stage=${target.stage}`, ...context].flatMap((pair) => ['--context', pair])],
    target,
    { onOutput },
  );
