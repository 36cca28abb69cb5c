/**
 * Hunts one mutant in this process and tells who noticed: `node test/mutants/hunt.ts <mutant> [--unedited]`. A process of its own,
 * because edited modules stay loaded. Without the edits the same hunts must find nothing.
 */
import { applyEdits } from './apply.ts';
import { mutantNamed } from './list.ts';
import { type SimulatedHunt, USUAL_HUNTS } from './mutant.ts';
import type { Kill } from './play-hunt.ts';

/** What a hunt's process prints, as one line of JSON. */
export interface HuntResult {
  readonly kill: (Kill & { readonly story: string; readonly hunt: number }) | undefined;
  readonly unexpected: Kill | undefined;
  readonly runs: number;
}

const [name = '', unedited, onlyHunt, onlySeed] = process.argv.slice(2);
const mutant = mutantNamed(name);
if (unedited !== '--unedited') applyEdits(mutant.edits);
// Only after the hooks.
const { playHunt } = await import('./play-hunt.ts');

const simulated = (mutant.hunts ?? USUAL_HUNTS).filter((hunt): hunt is SimulatedHunt => hunt.by === 'simulation');
process.stdout.write(`${JSON.stringify(await huntAll())}\n`);

async function huntAll(): Promise<HuntResult> {
  let [runs, unexpected]: [number, Kill | undefined] = [0, undefined];
  for (const [index, hunt] of simulated.entries()) {
    if (onlyHunt !== undefined && index !== Number(onlyHunt)) continue;
    const hunted = await playHunt(onlySeed === undefined ? hunt : narrowed(hunt, Number(onlySeed)), mutant.killers);
    runs += hunted.runs;
    unexpected ??= hunted.unexpected;
    if (hunted.kill !== undefined) return { kill: { ...hunted.kill, story: hunt.story, hunt: index }, unexpected, runs };
  }
  return { kill: undefined, unexpected, runs };
}

/** The one run in which a mutant was found; where all runs are counted together, all up to it. */
function narrowed(hunt: SimulatedHunt, seed: number): SimulatedHunt {
  return hunt.bySpread === true ? { ...hunt, seeds: seed - (hunt.from ?? 1) + 1 } : { ...hunt, from: seed, seeds: 1 };
}
