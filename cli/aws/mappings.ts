import { createLambdaMappings } from '#shared/aws/lambda-mappings.ts';
import { jobOutputs } from '#shared/contract/stack-outputs.ts';
import type { MappingControl } from '#shared/control/mapping-control.ts';
import { jobs } from '#shared/jobs/index.ts';
import type { Clients } from './clients.ts';
import type { StackOutputs } from './deployment.ts';

/** The switches between queues and workers of a deployment, as far as its outputs name them. */
export function mappingsOf({ lambda }: Clients, outputs: StackOutputs): MappingControl {
  const ids = jobs.flatMap(({ kind }) => {
    const id = outputs[jobOutputs(kind).mappingId];
    return id === undefined ? [] : [[kind, id] as const];
  });
  return createLambdaMappings(lambda, Object.fromEntries(ids));
}
