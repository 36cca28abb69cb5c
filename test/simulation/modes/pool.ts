import { type ChildProcess, fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Play, type Played, type RunCase, unplayed, type Wanted } from './run-case.ts';
import type { Task, TaskDone } from './worker.ts';

export interface Pool {
  readonly play: Play;
  readonly jobs: number;
  close(): void;
}

export interface PoolOptions {
  /** Runs in its own right when it is forked: test/simulation/simulate.ts. */
  readonly entry: string;
  readonly jobs: number;
  /** Real time one run may take. */
  readonly patienceMs: number;
}

interface Job extends Task {
  readonly done: (played: Played) => void;
}
interface Worker {
  readonly child: ChildProcess;
  readonly said: string[];
  job: Job | undefined;
  watchdog: NodeJS.Timeout | undefined;
}

/** Tells the entry that it is a worker. */
const WORKER = 'worker';
/** A run allocates much and leaves little behind: in a large young generation most of it is gone before anybody looks. */
export const YOUNG_GENERATION = ['--min-semi-space-size=32', '--max-semi-space-size=64'];
/** Where workers find what earlier ones have compiled. */
const COMPILED = join(tmpdir(), 'andal-simulation');
/** Kept of what a worker says on its error output, for the report of its death. */
const LAST_WORDS = 40;

/**
 * Worker processes with virtual time of their own; this process keeps the real one. A run that hangs or takes its worker down is
 * broken by that, under its own seed, and the next one gets a new worker.
 */
export function createPool({ entry, jobs, patienceMs }: PoolOptions): Pool {
  const waiting: Job[] = [];
  const workers = new Set<Worker>();
  let number = 0;

  const dismiss = (worker: Worker, invariant: string, how: string): void => {
    workers.delete(worker);
    clearTimeout(worker.watchdog);
    worker.child.kill('SIGKILL');
    worker.job?.done(unplayed(worker.job.runCase, invariant, how));
    worker.job = undefined;
    hand();
  };
  const start = (): Worker => {
    const worker = startWorker(entry, {
      onDone: () => hand(),
      onDeath: (how) => {
        if (workers.has(worker)) dismiss(worker, 'died', how);
      },
    });
    workers.add(worker);
    return worker;
  };
  const hand = (): void => {
    while (waiting.length > 0) {
      const worker = [...workers].find(({ job }) => job === undefined) ?? (workers.size < jobs ? start() : undefined);
      if (worker === undefined) return;
      const job = waiting.shift() as Job;
      worker.job = job;
      worker.watchdog = setTimeout(() => dismiss(worker, 'hangs', `no end after ${patienceMs / 1000} s of real time`), patienceMs);
      worker.child.send({ number: job.number, runCase: job.runCase, wanted: job.wanted } satisfies Task, () => undefined);
    }
  };
  const endAll = (): void => {
    for (const worker of workers) worker.child.kill('SIGKILL');
  };
  process.once('exit', endAll);
  return {
    jobs,
    play: (runCase: RunCase, wanted: Wanted = {}) =>
      new Promise((done) => {
        waiting.push({ number: number++, runCase, wanted, done });
        hand();
      }),
    close() {
      for (const { child } of workers) child.removeAllListeners('exit');
      endAll();
      workers.clear();
      process.off('exit', endAll);
    },
  };
}

interface Heard {
  onDone(): void;
  onDeath(how: string): void;
}

function startWorker(entry: string, { onDone, onDeath }: Heard): Worker {
  const child = fork(entry, [WORKER], {
    execArgv: YOUNG_GENERATION,
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const worker: Worker = { child, said: [], job: undefined, watchdog: undefined };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    worker.said.push(text);
    if (worker.said.length > LAST_WORDS) worker.said.shift();
  });
  child.on('message', ({ number: answered, played }: TaskDone) => {
    if (worker.job?.number !== answered) return;
    const { done } = worker.job;
    clearTimeout(worker.watchdog);
    worker.job = undefined;
    done(played);
    onDone();
  });
  child.once('exit', (code, signal) => onDeath(`the worker ended (${signal ?? code}): ${worker.said.join('').trim()}`));
  return worker;
}
