import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { jobs } from '#shared/jobs/index.ts';
import { seededFraction } from '../limited-callers.ts';
import { output } from './deployment.ts';
import { waitUntil } from './wait-until.ts';
import { killAtOnce, workerPids } from './worker-processes.ts';

/** Everything between the accepted order, its receipt and its readers; the provider is somebody else's machine. */
const victims = [
  ...jobs.map(({ kind }) => output(jobOutputs(kind).functionName)),
  output(STACK_OUTPUTS.dispatchOutboxFunction),
  output(STACK_OUTPUTS.invalidateCacheFunction),
  output(STACK_OUTPUTS.acceptOrderFunction),
  output(STACK_OUTPUTS.readOrderFunction),
];

export interface Killing {
  /** Workers to kill; a draw that finds nobody at work is drawn again. */
  readonly kills: number;
  readonly everyMs: number;
  /** Decides the order of the draws. Which process a draw meets is up to the machine. */
  readonly seed: number;
  readonly withinMs: number;
}

/**
 * Kills workers at random, one after the other.
 *
 * @returns how many of each function
 */
export async function killWorkers({ kills, everyMs, seed, withinMs }: Killing): Promise<Record<string, number>> {
  const fraction = seededFraction(seed);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(fraction() * items.length)];
  const killed: string[] = [];
  await waitUntil({ what: `${kills} workers to kill`, withinMs, everyMs }, async (note) => {
    const functionName = pick(victims) ?? '';
    const pid = pick(workerPids(functionName));
    if (pid !== undefined && killAtOnce(pid)) killed.push(functionName);
    note(killed.length);
    return killed.length >= kills;
  });
  return Object.fromEntries([...Map.groupBy(killed, (name) => name)].map(([name, kills]) => [name, kills.length]));
}
