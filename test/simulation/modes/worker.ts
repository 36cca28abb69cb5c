import '../kernel/virtual-globals.ts';
import module from 'node:module';
import { createPlayer } from './play-case.ts';
import type { Played, RunCase, Wanted } from './run-case.ts';

export interface Task {
  readonly number: number;
  readonly runCase: RunCase;
  readonly wanted: Wanted;
}
export interface TaskDone {
  readonly number: number;
  readonly played: Played;
}

/** A process that plays what it is sent, one run at a time, and ends with whoever started it. */
const play = createPlayer();
process.on('disconnect', () => process.exit(0));
process.on('message', ({ number, runCase, wanted }: Task) => {
  void play(runCase, wanted).then((played) => {
    // For the next worker (pool.ts). Not at the end: whoever started this one ends it without a word.
    if (number === 0) module.flushCompileCache();
    process.send?.({ number, played } satisfies TaskDone);
  });
});
