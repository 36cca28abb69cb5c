import { createChance } from '../../simulation/kernel/chance.ts';
import { createEventQueue } from '../../simulation/kernel/event-queue.ts';
import type { World } from '../../simulation/kernel/world.ts';

interface SmallWorld extends Pick<World, 'nowMs' | 'chance' | 'after' | 'log' | 'sleep'> {
  readonly lines: readonly string[];
  /** Everything that happens until then, promises included. */
  pass(durationMs: number): Promise<void>;
}

/** Time and chance without the process's own clock being replaced: enough for parts that get their world as an argument. */
export function createSmallWorld(seed = 1): SmallWorld {
  const queue = createEventQueue();
  const chance = createChance(seed);
  const lines: string[] = [];
  let [nowMs, number] = [0, 0];
  const after = (delayMs: number, run: () => void): (() => void) => {
    const event = { atMs: nowMs + Math.max(0, delayMs), tie: 0, number: number++, run, process: undefined, cancelled: false };
    queue.push(event);
    return () => {
      event.cancelled = true;
    };
  };
  return {
    get nowMs() {
      return nowMs;
    },
    chance,
    lines,
    after,
    log: (line) => void lines.push(line),
    sleep: (durationMs) => new Promise((resolve) => void after(durationMs, resolve)),
    async pass(durationMs) {
      const untilMs = nowMs + durationMs;
      for (let event = queue.popUntil(untilMs); event !== undefined; event = queue.popUntil(untilMs)) {
        nowMs = Math.max(nowMs, event.atMs);
        event.run();
        await Promise.resolve();
      }
      nowMs = untilMs;
    },
  };
}
