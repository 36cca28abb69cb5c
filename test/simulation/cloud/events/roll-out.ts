import type { Simulation } from '../../simulation.ts';

/**
 * The next version of all code is deployed, one function after the other in any order, while work goes on. Idle environments go, busy
 * ones finish; meanwhile new code writes messages that old code has yet to learn to read.
 */
export function rollOut({ world, lambda, generations, signals }: Simulation, { overMs }: { readonly overMs: number }): void {
  world.log('a roll-out begins');
  signals.disturbed('roll-out');
  for (const functionName of generations.functionNames) {
    world.after(world.chance.between(0, overMs), () => {
      generations.raise(functionName);
      lambda.replaceEnvironments(functionName);
    });
  }
}
