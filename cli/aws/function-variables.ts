import { jobOutputs } from '#shared/contract/stack-outputs.ts';
import type { Session } from '../session.ts';
import { readVariables } from './provider-url.ts';

type Variables = Readonly<Record<string, string>>;

/** What a function was deployed with: settings of the stage are nowhere else to be read. Empty for an output that is not there. */
export async function variablesOf({ clients, outputs }: Session, functionOutput: string): Promise<Variables> {
  const functionName = outputs[functionOutput];
  return functionName === undefined ? {} : readVariables(clients.lambda, functionName);
}

export const workerVariables = (session: Session, kind: string): Promise<Variables> => variablesOf(session, jobOutputs(kind).functionName);
