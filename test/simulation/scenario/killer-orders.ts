import type { System } from '#shared/runtime/system.ts';
import type { Process } from '../kernel/process.ts';
import type { Simulation } from '../simulation.ts';

/** An order of this amount kills every process that calls the provider about it, until somebody mends the code. */
export const KILLER_AMOUNT = 66_600;

/** The process dies before or after its call has left, whichever the run drew; other orders in its batch die with it. */
export function killingCalls(
  simulation: Pick<Simulation, 'lambda' | 'world' | 'happened'>,
  system: System,
  process: Process,
  isMended: () => boolean,
): System {
  const { world, lambda } = simulation;
  const deadly = async (request: Request): Promise<Response> => {
    const isCapture = request.method === 'POST' && (await request.clone().text()).includes(`"amountMinor":${KILLER_AMOUNT}`);
    if (!isCapture || isMended()) return system.fetch(request);
    const after = world.chance.happens(0.5);
    simulation.happened(`a job kills its process ${after ? 'after' : 'before'} its call`);
    if (after) system.fetch(request).catch(() => undefined);
    world.after(after ? 5 : 0, () => lambda.kill(process, 'of the job it runs'));
    return new Promise(() => undefined);
  };
  return { ...system, fetch: deadly as typeof fetch };
}
