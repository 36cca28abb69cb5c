import { TooLate } from './patience.ts';
import { broken, type Verdict } from './verdict.ts';
import { type DemoWorld, nameOf } from './world.ts';

/** Shows one promise with a few orders of its own. What holds for every order is judged for all of them at the end. */
export interface Scenario {
  readonly title: string;
  readonly promise: string;
  /** Makes its orders, does the harm, and waits for what must be seen. */
  run(world: DemoWorld, tell: (line: string) => void): Promise<Verdict>;
}

/** A scenario that throws has not shown its promise; the reason is its verdict, and the other scenarios go on. */
export async function show(scenario: Scenario, world: DemoWorld, tell: (line: string) => void): Promise<Verdict> {
  const before = world.orders.length;
  try {
    return await scenario.run(world, tell);
  } catch (error) {
    if (process.env['ANDAL_DEBUG'] === '1') console.error(error);
    const seen =
      error instanceof TooLate ? error.message : `it could not be shown: ${error instanceof Error ? error.message : String(error)}`;
    return broken(
      scenario.promise,
      seen,
      world.orders
        .slice(before)
        .filter(({ shows }) => shows.length > 0)
        .map(nameOf),
    );
  }
}
