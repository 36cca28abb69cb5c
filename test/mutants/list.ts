import { cacheMutants } from './list/cache.ts';
import { carriageMutants } from './list/carriage.ts';
import { edgeMutants } from './list/edges.ts';
import { foundMutants } from './list/found.ts';
import { horizonMutants } from './list/horizon.ts';
import { letterMutants } from './list/letters.ts';
import { loadMutants } from './list/load.ts';
import { outcomeMutants } from './list/outcomes.ts';
import { protocolMutants } from './list/protocol.ts';
import { quietMutants } from './list/quiet.ts';
import { receiptMutants } from './list/receipts.ts';
import { requestMutants } from './list/requests.ts';
import { runMutants } from './list/runs.ts';
import { templateMutants } from './list/templates.ts';
import type { Mutant } from './mutant.ts';

export const mutants: readonly Mutant[] = [
  ...protocolMutants,
  ...runMutants,
  ...outcomeMutants,
  ...horizonMutants,
  ...edgeMutants,
  ...cacheMutants,
  ...loadMutants,
  ...letterMutants,
  ...templateMutants,
  ...foundMutants,
  ...quietMutants,
  ...receiptMutants,
  ...requestMutants,
  ...carriageMutants,
];

/** @throws Error naming what there is */
export function mutantNamed(name: string): Mutant {
  const found = mutants.find((mutant) => mutant.name === name);
  if (found === undefined) throw new Error(`no mutant is called "${name}"; there are: ${mutants.map((mutant) => mutant.name).join(' · ')}`);
  return found;
}
