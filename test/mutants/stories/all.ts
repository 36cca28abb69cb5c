import { batchNeighbours } from './batch-neighbours.ts';
import { carriage } from './carriage.ts';
import type { Directed } from './directed.ts';
import { letters } from './letters.ts';
import { lostWork } from './lost-work.ts';
import { providerTroubles } from './provider-troubles.ts';
import { quietFailures } from './quiet-failures.ts';
import { receipts } from './receipts.ts';
import { requests } from './requests.ts';
import { rollOuts } from './roll-out.ts';

const stories = {
  ...providerTroubles,
  ...lostWork,
  ...requests,
  ...letters,
  ...batchNeighbours,
  ...rollOuts,
  ...quietFailures,
  ...receipts,
  ...carriage,
};

export type DirectedName = keyof typeof stories;

export const directedNamed = (name: DirectedName): Directed => stories[name];

export const isDirected = (name: string): name is DirectedName => Object.hasOwn(stories, name);
