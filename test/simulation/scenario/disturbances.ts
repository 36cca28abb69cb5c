import { expireItems } from '../cloud/events/expire-items.ts';
import { injectPoison, injectPoisonItem, poisonBodies } from '../cloud/events/inject-poison.ts';
import { loseCache } from '../cloud/events/lose-cache.ts';
import { loseStream } from '../cloud/events/lose-stream.ts';
import { purgeQueue } from '../cloud/events/purge-queue.ts';
import { restoreTable } from '../cloud/events/restore-table.ts';
import { rollOut } from '../cloud/events/roll-out.ts';
import { createChance, seedFor } from '../kernel/chance.ts';
import type { Simulation } from '../simulation.ts';
import { actOnLetters } from './operator.ts';
import { beginOutage } from './provider-outage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const OPERATOR_DID_NOT_WAIT = 'an operator works on letters while more come';
export const TABLE_WAS_PUT_BACK = 'the table was put back';

interface Disturbance {
  /** In this share of the runs. */
  readonly probability: number;
  readonly times: number;
  act(simulation: Simulation, chance: ReturnType<typeof createChance>): void;
}

const disturbances: readonly Disturbance[] = [
  { probability: 0.15, times: 2, act: (simulation, chance) => purgeQueue(simulation, chance.pick(simulation.jobQueues).queueName) },
  { probability: 0.08, times: 1, act: (simulation, chance) => loseStream(simulation, chance.between(1, 10) * MINUTE_MS) },
  { probability: 0.1, times: 1, act: (simulation, chance) => rollOut(simulation, { overMs: chance.between(1, 30) * MINUTE_MS }) },
  { probability: 0.1, times: 2, act: loseCache },
  { probability: 0.12, times: 2, act: poisonSomeQueue },
  { probability: 0.05, times: 1, act: injectPoisonItem },
  {
    probability: 0.06,
    times: 1,
    act(simulation, chance) {
      // A letter that was replayed after the moment the table goes back to is for a person to find (docs/restore.md, 5).
      if (simulation.situations[OPERATOR_DID_NOT_WAIT] !== undefined) return;
      simulation.happened(TABLE_WAS_PUT_BACK);
      void restoreTable(simulation, { agoMs: chance.between(1_000, 5 * MINUTE_MS), how: chance.happens(0.5) ? 'copied' : 'replaced' });
    },
  },
  { probability: 0.08, times: 1, act: beginOutage },
  // An operator who does not wait until things are quiet.
  {
    probability: 0.3,
    times: 2,
    act(simulation, chance) {
      if (simulation.situations[TABLE_WAS_PUT_BACK] !== undefined) return;
      simulation.happened(OPERATOR_DID_NOT_WAIT);
      actOnLetters(simulation, { replaying: () => chance.happens(0.8), mostRuns: 1 });
    },
  },
];

/** Everything that hits an account as a whole, drawn apart from all else: one disturbance more moves no other draw. */
export function disturb(simulation: Simulation, stormMs: number): void {
  const { world } = simulation;
  disturbances.forEach(({ probability, times, act }, index) => {
    const chance = createChance(seedFor(world.seed, `disturbance ${index}`));
    if (!chance.happens(probability)) return;
    for (let count = chance.whole(1, times); count > 0; count--) world.after(chance.between(0, stormMs), () => act(simulation, chance));
  });
  expireNowAndThen(simulation);
}

function poisonSomeQueue(simulation: Simulation, chance: ReturnType<typeof createChance>): void {
  const target = chance.pick(simulation.jobQueues);
  injectPoison(simulation, target.definition.kind, chance.pick(Object.values(poisonBodies(target))));
}

/** The time to live takes what has expired, hours late. */
function expireNowAndThen(simulation: Simulation): void {
  const { world } = simulation;
  const sweep = (): void => {
    expireItems(simulation, HOUR_MS);
    world.after(12 * HOUR_MS, sweep);
  };
  world.after(12 * HOUR_MS, sweep);
}
