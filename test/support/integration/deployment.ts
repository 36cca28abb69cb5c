import { inject } from 'vitest';
import { jobOutputs, type STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';

type OutputName = (typeof STACK_OUTPUTS)[keyof typeof STACK_OUTPUTS];

const { endpointUrl, outputs } = inject('deployment');

/** The product's own clients, when a test runs its code in process, find the emulator where the deployed functions do. */
process.env['AWS_ENDPOINT_URL'] = endpointUrl;

export { endpointUrl };

export function output(name: OutputName | string): string {
  const value = outputs[name];
  if (value === undefined) throw new Error(`the deployment has no output ${name}`);
  return value;
}

export interface KindOutputs {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly functionName: string;
}

export function outputsOfKind(kind: string): KindOutputs {
  const { queueUrl, deadLetterQueueUrl, functionName } = jobOutputs(kind);
  return { queueUrl: output(queueUrl), deadLetterQueueUrl: output(deadLetterQueueUrl), functionName: output(functionName) };
}

/** Outputs by name; what the stacks export to each other is left out. */
const outputsNamed = (part: RegExp): ReadonlyMap<string, string> =>
  new Map(Object.entries(outputs).filter(([name]) => part.test(name) && !name.startsWith('ExportsOutput')));

/** Every queue of the deployment by the name of its output, dead-letter queues included. */
export const allQueueUrls = (): ReadonlyMap<string, string> => outputsNamed(/QueueUrl/);

/** Every function of the pipeline; the sandbox is not one of them. */
export const allFunctionNames = (): string[] => [...outputsNamed(/FunctionName/).values()];
