import type { Simulation } from '../../simulation.ts';

/**
 * A sweep of the time to live, over all tables. AWS deletes what expired within a few days, not at once.
 *
 * @param lagMs how long ago something must have expired to be deleted now
 */
export function expireItems({ dynamodb, services, world }: Simulation, lagMs: number): void {
  dynamodb.expire(world.nowMs - lagMs);
  services.announceWrites(undefined, undefined);
}
