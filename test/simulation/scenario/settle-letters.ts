import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import type { Simulation } from '../simulation.ts';
import { actOnLetters, lettersLeft } from './operator.ts';
import { passUntilQuiet } from './quiet.ts';

const HOUR_MS = 3_600_000;

export interface Settling {
  /** Of the operator, each after what the one before brought back has ended; it may have ended as a letter again. */
  readonly mostRounds: number;
  /** Asked in all rounds but the last, in which every letter is given up. */
  readonly replaying: (letter: DeadLetter) => boolean;
}

/** An operator works off the letters, round after round, until none is left. */
export async function settleLetters(
  simulation: Simulation,
  pass: (durationMs: number) => Promise<void>,
  { mostRounds, replaying }: Settling,
): Promise<void> {
  for (let round = 1; round <= mostRounds && lettersLeft(simulation) > 0; round++) {
    const work = actOnLetters(simulation, { replaying: (letter) => round < mostRounds && replaying(letter) });
    while (!work.isDone && simulation.violations.length === 0) await pass(HOUR_MS);
    await passUntilQuiet(simulation, pass);
  }
}
