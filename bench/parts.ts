import { bundles } from './bundles/part.ts';
import { core } from './core/part.ts';
import { counts } from './counts/part.ts';
import { growth } from './growth/part.ts';
import { money } from './money/part.ts';
import { overhead } from './overhead/part.ts';
import { replay } from './replay/replay.ts';
import type { Part } from './report/part.ts';
import { simulator } from './simulator/part.ts';

/** In the order of the document. A new part is a folder beside these and a line here. */
export const PARTS: Readonly<Record<string, Part>> = { counts, money, bundles, core, overhead, growth, replay, simulator };
