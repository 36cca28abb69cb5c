import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import { createChance, seedFor } from '../kernel/chance.ts';
import { createProcess } from '../kernel/process.ts';
import type { Simulation } from '../simulation.ts';
import { deadLetterSources, workOff } from './operator-run.ts';

export interface OperatorOptions {
  /** Whether a letter is brought back; otherwise it is given up. Asked again for a letter whose tool died over it. */
  readonly replaying: (letter: DeadLetter) => boolean;
  /** Runs of the tool before the operator leaves what is left. */
  readonly mostRuns?: number;
}

export interface OperatorAtWork {
  /** Nothing is left in any dead-letter queue, or the operator has given up. */
  readonly isDone: boolean;
  readonly runs: number;
  /** How often each act ended how: `replay replayed`, `discard refused: busy`. */
  readonly tally: Readonly<Record<string, number>>;
}

/** The tool's name in labels and traces. */
export const OPERATOR = 'andal-dlq';
const MINUTE_MS = 60_000;
/** Looks whether the tool still runs; a letter it held is visible again by then. */
const LOOK_MS = 10 * MINUTE_MS;
const MOST_RUNS = 20;
const MAX_SKEW_MS = 5 * MINUTE_MS;

/**
 * A person who works off all dead-letter queues with the tool's own code, in a process that faults may kill or freeze; then the tool
 * is run again. What a replay is refused for is dropped, as the refusal offers; what may not be given up is brought back, and settled
 * by hand when that did not help.
 */
export function actOnLetters(simulation: Simulation, { replaying, mostRuns = MOST_RUNS }: OperatorOptions): OperatorAtWork {
  const { world } = simulation;
  const chance = createChance(seedFor(world.seed, OPERATOR));
  const broughtBack = new Set<string>();
  const work = { isDone: false, runs: 0, tally: {} as Record<string, number> };
  const count = (what: string): void => {
    work.tally[what] = (work.tally[what] ?? 0) + 1;
    world.log(`${OPERATOR} ${what}`);
    simulation.happened(`operator: ${what}`);
  };
  const run = (): void => {
    const process = createProcess(
      `${OPERATOR}#${++work.runs}`,
      chance.happens(0.7) ? 0 : Math.round(chance.between(-MAX_SKEW_MS, MAX_SKEW_MS)),
    );
    let hasEnded = false;
    const end = (): void => {
      hasEnded = true;
    };
    world.after(
      0,
      () =>
        void workOff(
          simulation,
          {
            isOldTool: work.runs === 1 && chance.happens(0.2),
            replaying,
            count,
            // What this run brings back has yet to show what becomes of it.
            broughtBackBefore: new Set(broughtBack),
            broughtBack,
          },
          OPERATOR,
        )
          .catch(() => count('run failed'))
          .finally(end),
      process,
    );
    const look = (): void => {
      if (!hasEnded && !process.dead) return void world.after(LOOK_MS, look);
      if (process.dead) count('run died');
      if (lettersLeft(simulation) > 0 && work.runs < mostRuns) return run();
      work.isDone = true;
    };
    world.after(LOOK_MS, look);
  };
  run();
  return work;
}

export const lettersLeft = (simulation: Simulation): number =>
  deadLetterSources(simulation).reduce((sum, { deadLetterQueueName }) => sum + simulation.sqs.messages(deadLetterQueueName).length, 0);
