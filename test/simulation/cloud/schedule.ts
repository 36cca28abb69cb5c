import type { World } from '../kernel/world.ts';

export interface Schedule {
  /** What the run depends on has changed. */
  poke(): void;
}

/**
 * A function run at every full period, as a rule of EventBridge does. Runs that would find nothing to do are left out: virtual days
 * have thousands of minutes.
 *
 * @param options.nextMs the earliest instant at which a run may find something; Infinity when none will
 */
export function createSchedule(
  world: World,
  { everyMs, nextMs, run }: { readonly everyMs: number; readonly nextMs: () => number; readonly run: () => void },
): Schedule {
  let armed: { atMs: number; cancel: () => void } | undefined;
  const arm = (): void => {
    const next = nextMs();
    const atMs = Math.ceil(Math.max(next, world.nowMs + 1) / everyMs) * everyMs;
    if (armed !== undefined && armed.atMs <= atMs && armed.atMs > world.nowMs) return;
    armed?.cancel();
    armed = undefined;
    if (next === Number.POSITIVE_INFINITY) return;
    const tick = (): void => {
      armed = undefined;
      run();
      arm();
    };
    armed = { atMs, cancel: world.after(atMs - world.nowMs, tick) };
  };
  return { poke: arm };
}
