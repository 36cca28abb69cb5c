import type { CloudFormationClient, Stack } from '@aws-sdk/client-cloudformation';
import { STACK_OUTPUTS, stackName } from '#shared/contract/stack-outputs.ts';
import { describeStack, isComplete } from './stacks.ts';

/** Every output of every stack of a stage, by the names of shared/contract/stack-outputs.ts. */
export type StackOutputs = Readonly<Record<string, string>>;

export const STACK_PARTS = ['Data', 'Sandbox', 'Pipeline'] as const;

export async function describeStage(client: CloudFormationClient, stage: string): Promise<Stack[]> {
  const stacks = await Promise.all(STACK_PARTS.map((part) => describeStack(client, stackName(stage, part))));
  return stacks.filter((stack) => stack !== undefined);
}

/** @returns the stage's outputs, or undefined when its Data and Pipeline stacks are not both there and complete. */
export async function readOutputs(
  client: CloudFormationClient,
  stage: string,
  endpointUrl: string | undefined,
): Promise<StackOutputs | undefined> {
  const stacks = (await describeStage(client, stage)).filter(isComplete);
  const names = new Set(stacks.map((stack) => stack.StackName));
  if (!names.has(stackName(stage, 'Data')) || !names.has(stackName(stage, 'Pipeline'))) return undefined;
  return reachable(Object.fromEntries(stacks.flatMap(outputsOf)), endpointUrl);
}

const outputsOf = (stack: Stack): [string, string][] =>
  (stack.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey ?? '', OutputValue ?? '']);

function reachable(outputs: Record<string, string>, endpointUrl: string | undefined): StackOutputs {
  const urls = [STACK_OUTPUTS.orderApiUrl, STACK_OUTPUTS.sandboxUrl];
  const changed = urls
    .filter((name) => outputs[name] !== undefined)
    .map((name) => [name, reachableUrl(outputs[name] as string, endpointUrl)]);
  return { ...outputs, ...Object.fromEntries(changed) };
}

/**
 * An emulator hands out API hosts below its own name (`<id>.execute-api.localhost:4566`), which Node does not resolve; the
 * path form reaches the same API at the endpoint. An AWS URL stays as it is. Without a slash at the end.
 */
export function reachableUrl(url: string, endpointUrl: string | undefined): string {
  // Read as text: with an address in place of the emulator's name it is no valid URL.
  const [, apiId, host = '', stage = '$default'] = /^https?:\/\/([a-z0-9]+)\.execute-api\.([^/]+)(?:\/([^/]+))?/.exec(url) ?? [];
  const isLocal = endpointUrl !== undefined && apiId !== undefined && !host.endsWith('.amazonaws.com');
  return (isLocal ? `${endpointUrl.replace(/\/$/, '')}/_aws/execute-api/${apiId}/${stage}` : url).replace(/\/$/, '');
}
