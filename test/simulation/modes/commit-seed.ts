import { execFileSync } from 'node:child_process';
import { seedFor } from '../kernel/chance.ts';

const WITHOUT_A_COMMIT = 1_000_000;
const MOST_SEEDS = 1_000_000_000;

/** Fresh seeds for each commit, the same ones however often it is checked; a fixed one where there is no repository. */
export function seedOfCommit(readCommit: () => string = readHead): number {
  try {
    return seedFor(0, readCommit()) % MOST_SEEDS;
  } catch {
    return WITHOUT_A_COMMIT;
  }
}

const readHead = (): string =>
  execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
