import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import type { Meter } from '../support/meter/meter.ts';
import type { Invariant, Violation } from './invariant.ts';
import { invariants as allInvariants } from './invariants/index.ts';
import { type Chance, createChance, seedFor } from './kernel/chance.ts';
import { createWorld } from './kernel/world.ts';
import { createFaults, type FaultPlan, type Faults, type Injected } from './network/fault.ts';
import { manyUsers } from './scenario/many-users.ts';
import { oneOrder } from './scenario/one-order.ts';
import { isQuiet } from './scenario/quiet.ts';
import type { Story } from './scenario/story.ts';
import { drawWeather, operatorsWeather, weatherPlan } from './scenario/weather.ts';
import { createSimulation, type Simulation } from './simulation.ts';

export interface RunOptions {
  readonly seed: number;
  /** Left out: one drawn from the seed. */
  readonly story?: Story;
  /** What goes wrong; left out: the seed's own weather. */
  readonly plan?: FaultPlan;
  /** Share of the points where something goes wrong, in place of the seed's own. */
  readonly rate?: number | undefined;
  /** Ordinals of injected faults to leave out (shrinking). */
  readonly without?: ReadonlySet<number>;
  /** Clocks that are up to five minutes wrong, which is the default; or what each new process's clock is ahead, in milliseconds. */
  readonly skew?: boolean | ((chance: Chance) => number);
  readonly invariants?: readonly Invariant[];
  readonly definitions?: readonly AnyJobDefinition[];
  /** Counts what the functions' requests cost, storm and rest together. */
  readonly meter?: Meter;
  /** Ends the run at its first violation. */
  readonly stopAtFirst?: boolean;
  readonly keepTrace?: boolean;
  readonly keepPoints?: boolean;
}

export interface RunResult {
  readonly seed: number;
  readonly story: string;
  readonly hash: string;
  readonly violations: readonly Violation[];
  readonly injected: readonly Injected[];
  /** How many places there were where something could go wrong. */
  readonly points: number;
  readonly seen: Faults['seen'];
  readonly lines: readonly string[];
  readonly situations: Readonly<Record<string, number>>;
  readonly events: number;
  readonly virtualMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let warm: Promise<unknown> | undefined;

/** The first run in a process meets libraries that still load themselves, which takes real time; this one is thrown away. */
function warmUp(): Promise<unknown> {
  warm ??= runOnce({ seed: 0, story: oneOrder, rate: 0, invariants: [] }, WARM_UP_PATIENCE_MS);
  return warm;
}
const WARM_UP_PATIENCE_MS = 3;

/** One seed, one run: a storm, the calm after it, the rest in which everything ends, then an operator who settles what is left. */
export async function run(options: RunOptions): Promise<RunResult> {
  await warmUp();
  return runOnce(options);
}

async function runOnce(options: RunOptions, patienceMs?: number): Promise<RunResult> {
  const { seed, stopAtFirst = false, keepTrace = false, keepPoints = false } = options;
  const world = createWorld({ seed, keepTrace, ...(patienceMs === undefined ? {} : { patienceMs }) });
  const story = options.story ?? drawStory(seed);
  const stormEndsMs = world.nowMs + story.stormMs;
  const plan = options.plan ?? weatherPlan(seed, drawWeather(seed, { untilMs: stormEndsMs, rate: options.rate }), options.without);
  const faults = createFaults(world, plan, { keepPoints });
  const simulation = createSimulation({
    world,
    faults,
    invariants: options.invariants ?? allInvariants,
    ...(options.definitions === undefined ? {} : { definitions: options.definitions }),
    meter: options.meter,
    adaptSystem: story.adaptSystem?.bind(story),
    clockAheadMs: () => drawAheadMs(options.skew ?? true, world.chance),
  });
  // The SDK makes an error on every call; its stack is the dearest part of it, and only a trace is read by people.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = keepTrace ? stackTraceLimit : 0;
  try {
    await play(simulation, story, () => stopAtFirst && simulation.violations.length > 0);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    world.close();
  }
  const { violations, situations } = simulation;
  return {
    seed,
    story: story.name,
    hash: world.trace.hash,
    violations,
    injected: faults.injected,
    points: faults.points,
    seen: faults.seen,
    lines: world.trace.lines,
    situations,
    events: world.events,
    virtualMs: world.elapsedMs,
  };
}

const LONG_STORM_MS = 30 * HOUR_MS;
const SHORT_STORM_MS = 12 * MINUTE_MS;

function drawStory(seed: number): Story {
  const chance = createChance(seedFor(seed, 'story'));
  return manyUsers({ stormMs: chance.happens(0.2) ? LONG_STORM_MS : SHORT_STORM_MS });
}

/** Most clocks are right; the others are up to five minutes ahead or behind. */
const drawSkewMs = (chance: Chance): number => (chance.happens(0.7) ? 0 : Math.round(chance.between(-5, 5) * MINUTE_MS));

function drawAheadMs(skew: NonNullable<RunOptions['skew']>, chance: Chance): number {
  if (typeof skew === 'function') return skew(chance);
  return skew ? drawSkewMs(chance) : 0;
}

async function play(simulation: Simulation, story: Story, isOver: () => boolean): Promise<void> {
  const { world, faults, signals } = simulation;
  const pass = (durationMs: number): Promise<void> => world.runUntil(world.nowMs + durationMs, isOver);
  story.begin(simulation);
  await pass(story.stormMs);
  faults.plan = story.keepsFaults === true ? faults.plan : operatorsWeather(faults.plan);
  world.log('--- calm ---');
  signals.calm();
  await restUp(simulation, pass, isOver, { stepMs: 6 * HOUR_MS, longestMs: 5 * DAY_MS });
  if (isOver()) return;
  world.log('--- rested ---');
  signals.rested();
  await story.settle?.(simulation, pass);
  await restUp(simulation, pass, isOver, { stepMs: 6 * HOUR_MS, longestMs: 4 * DAY_MS });
  if (isOver()) return;
  world.log('--- finished ---');
  signals.finished();
}

/** Days of nothing are left out: when nothing is on its way and nothing to be done, more time would change nothing. */
async function restUp(
  simulation: Simulation,
  pass: (durationMs: number) => Promise<void>,
  isOver: () => boolean,
  { stepMs, longestMs }: { readonly stepMs: number; readonly longestMs: number },
): Promise<void> {
  const endsMs = simulation.world.nowMs + longestMs;
  await pass(10 * MINUTE_MS);
  while (!isOver() && simulation.world.nowMs < endsMs && !isQuiet(simulation)) await pass(stepMs);
}
