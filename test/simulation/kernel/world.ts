import { type Chance, createChance, seedFor } from './chance.ts';
import { createEventQueue, type Event } from './event-queue.ts';
import { oneByOne } from './one-by-one.ts';
import type { Process } from './process.ts';
import { createTrace, type Trace } from './trace.ts';
import { START_MS, useSource } from './virtual-globals.ts';

/** Time, chance, and what happens next. One seed is one run. */
export interface World {
  readonly seed: number;
  /** True time, epoch milliseconds; processes may read another on their own clocks. */
  readonly nowMs: number;
  /** Milliseconds since the run began. */
  readonly elapsedMs: number;
  readonly chance: Chance;
  readonly trace: Trace;
  /** Whoever runs just now. */
  readonly current: Process | undefined;
  readonly events: number;
  /** @returns a function that calls it off */
  after(delayMs: number, run: () => void, process?: Process): () => void;
  /** Waits inside the running process; a dead one waits for ever. */
  sleep(durationMs: number): Promise<void>;
  log(line: string): void;
  /** Everything that happens until then; stops early when `isOver` says so. */
  runUntil(atMs: number, isOver?: () => boolean): Promise<void>;
  /** Gives time and chance back. */
  close(): void;
}

/** The loop went round this often without time passing: something waits for itself. */
const MAX_EVENTS_AT_ONE_INSTANT = 200_000;

export interface WorldOptions {
  readonly seed: number;
  readonly keepTrace?: boolean;
  /** Real milliseconds to wait after each event, for a first run in which libraries still load parts of themselves. */
  readonly patienceMs?: number;
}

export function createWorld({ seed, keepTrace = false, patienceMs }: WorldOptions): World {
  const queue = createEventQueue();
  const chance = createChance(seedFor(seed, 'world'));
  const ties = createChance(seedFor(seed, 'ties'));
  const trace = createTrace({ keep: keepTrace });
  let [nowMs, number, events] = [START_MS, 0, 0];
  let current: Process | undefined;

  const after = (delayMs: number, run: () => void, process: Process | undefined = undefined): (() => void) => {
    const event: Event = { atMs: nowMs + Math.max(0, delayMs), tie: ties.fraction(), number: number++, run, process, cancelled: false };
    queue.push(event);
    return () => {
      event.cancelled = true;
    };
  };
  const happen = (event: Event): void => {
    nowMs = Math.max(nowMs, event.atMs);
    current = event.process;
    events++;
    event.run();
  };
  const nextBy = (atMs: number): Event | undefined => {
    for (;;) {
      const event = queue.popUntil(atMs);
      if (event === undefined || !isHeld(event, queue.push)) return event;
    }
  };

  const world: World = {
    seed,
    get nowMs() {
      return nowMs;
    },
    get elapsedMs() {
      return nowMs - START_MS;
    },
    chance,
    trace,
    get current() {
      return current;
    },
    get events() {
      return events;
    },
    after,
    sleep: (durationMs) => new Promise((resolve) => void after(durationMs, resolve, current)),
    log: (line) => trace.add(`${((nowMs - START_MS) / 1000).toFixed(3)} ${line}`),
    async runUntil(atMs, isOver = () => false) {
      let [atOnce, lastMs] = [0, nowMs];
      await oneByOne(() => {
        current = undefined;
        const event = isOver() ? undefined : nextBy(atMs);
        if (event === undefined) return false;
        atOnce = event.atMs > lastMs ? 0 : atOnce + 1;
        lastMs = nowMs;
        if (atOnce > MAX_EVENTS_AT_ONE_INSTANT) throw new Error(`time stands still at ${nowMs - START_MS} ms`);
        happen(event);
        return true;
      }, patienceMs);
      if (!isOver()) nowMs = Math.max(nowMs, atMs);
    },
    close: () => useSource(undefined),
  };
  useSource({
    nowMs: () => Math.floor(nowMs + (current?.clockAheadMs ?? 0)),
    fraction: chance.fraction,
    after: (delayMs, run) => after(delayMs, run, current),
  });
  return world;
}

/** Events of the dead are dropped; those of the frozen and the paused wait. */
function isHeld(event: Event, push: (event: Event) => void): boolean {
  const { process } = event;
  if (process === undefined) return false;
  if (process.dead) return true;
  if (process.paused) {
    process.parked.push(() => push(event));
    return true;
  }
  if (process.frozenUntilMs <= event.atMs) return false;
  event.atMs = process.frozenUntilMs;
  push(event);
  return true;
}
