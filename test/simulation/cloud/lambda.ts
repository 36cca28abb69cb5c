import type { System } from '#shared/runtime/system.ts';
import { createProcess, type Process } from '../kernel/process.ts';
import type { World } from '../kernel/world.ts';

export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}
export type Handler = (event: never, context: LambdaContext) => Promise<unknown>;

export interface FunctionDefinition {
  readonly name: string;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
  /** A cold start; throws when the function's environment does not fit. */
  readonly wire: (system: System) => unknown;
}

export type InvocationEnd =
  | { readonly how: 'returned'; readonly value: unknown }
  | { readonly how: 'threw'; readonly error: unknown }
  | { readonly how: 'timed-out' }
  | { readonly how: 'died' };

export interface Lambda {
  /** @param ended called once, outside of any process */
  invoke(functionName: string, event: unknown, ended: (end: InvocationEnd) => void): void;
  kill(process: Process, why: string): void;
  /** A roll-out: environments that are idle go, busy ones finish what they do. */
  replaceEnvironments(functionName: string): void;
  /** Invocations going on, by function. */
  running(functionName: string): number;
}

export interface LambdaParts {
  readonly world: World;
  readonly functions: ReadonlyMap<string, FunctionDefinition>;
  readonly systemFor: (definition: FunctionDefinition, process: Process) => System;
  /** What the environment's code makes of an event, for versions that differ. */
  readonly adaptEvent?: (event: unknown, functionName: string, process: Process) => unknown;
  /** How wrong the next environment's clock is. */
  readonly clockAheadMs: () => number;
  readonly onEnd: (functionName: string, process: Process, end: InvocationEnd) => void;
}

interface Environment {
  readonly process: Process;
  readonly definition: FunctionDefinition;
  handler: Handler | undefined;
  finish: ((end: InvocationEnd) => void) | undefined;
  retired: boolean;
}

/** Lambda's execution environments: started cold, used again while idle, frozen between invocations, killed at their timeout. */
export function createLambda({ world, functions, systemFor, adaptEvent = (event) => event, clockAheadMs, onEnd }: LambdaParts): Lambda {
  const environments = new Map<Process, Environment>();
  const idle = new Map<string, Environment[]>();
  let started = 0;

  const coldStart = (definition: FunctionDefinition): Environment => {
    const process = createProcess(`${definition.name}#${++started}`, clockAheadMs());
    const environment = { process, definition, handler: undefined, finish: undefined, retired: false };
    environments.set(process, environment);
    return environment;
  };
  const end = (environment: Environment, how: InvocationEnd): void => {
    const { finish, process, definition } = environment;
    if (finish === undefined) return;
    environment.finish = undefined;
    if (how.how === 'died' || how.how === 'timed-out') environments.delete(process);
    else if (!environment.retired) {
      process.paused = true;
      listOf(idle, definition.name).push(environment);
    }
    onEnd(definition.name, process, how);
    world.after(1, () => finish(how));
  };
  const start = (environment: Environment, event: unknown): void => {
    const { process, definition } = environment;
    const endsAtMs = world.nowMs + definition.timeoutMs;
    const context = { getRemainingTimeInMillis: () => Math.max(0, endsAtMs - world.nowMs) };
    const { finish } = environment;
    world.after(definition.timeoutMs, () => {
      if (environment.finish === finish) timeOut(world, environment, end);
    });
    const run = async (): Promise<unknown> => {
      environment.handler ??= definition.wire(systemFor(definition, process)) as Handler;
      return environment.handler(adaptEvent(event, definition.name, process) as never, context);
    };
    world.after(
      0,
      () =>
        void run().then(
          (value) => end(environment, { how: 'returned', value }),
          (error: unknown) => end(environment, { how: 'threw', error }),
        ),
      process,
    );
  };

  return {
    invoke(functionName, event, ended) {
      const definition = functions.get(functionName);
      if (definition === undefined) throw new Error(`no function ${functionName} is simulated`);
      const warm = listOf(idle, functionName).pop();
      const environment = warm ?? coldStart(definition);
      environment.finish = ended;
      wake(environment.process);
      world.after(warm === undefined ? world.chance.between(150, 600) : world.chance.between(1, 10), () => start(environment, event));
    },
    kill(process, why) {
      if (process.dead) return;
      process.dead = true;
      world.log(`${process.name} dies ${why}`);
      const environment = environments.get(process);
      if (environment !== undefined) end(environment, { how: 'died' });
    },
    replaceEnvironments(functionName) {
      idle.set(functionName, []);
      for (const environment of environments.values()) if (environment.definition.name === functionName) environment.retired = true;
    },
    running: (functionName) =>
      [...environments.values()].filter(({ definition, finish }) => definition.name === functionName && finish !== undefined).length,
  };
}

/** A frozen environment is sometimes thawed after the service gave its invocation up: a worker that wakes up late. */
function timeOut(world: World, environment: Environment, end: (environment: Environment, how: InvocationEnd) => void): void {
  const { process } = environment;
  if (process.dead) return;
  const wakesUpLate = process.frozenUntilMs > world.nowMs && world.chance.happens(0.7);
  if (!wakesUpLate) process.dead = true;
  world.log(`${process.name} ${wakesUpLate ? 'is given up while frozen' : 'is killed at its timeout'}`);
  end(environment, { how: 'timed-out' });
}

/** What was due while the environment stood still happens now. */
function wake(process: Process): void {
  process.paused = false;
  for (const resume of process.parked.splice(0)) resume();
}

function listOf(lists: Map<string, Environment[]>, name: string): Environment[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}
