import type { Simulation } from '../../simulation.ts';

/** An outage that outlasts what a stream keeps: what is written from now on for so long reaches no consumer, ever. */
export function loseStream({ world, streams, signals }: Simulation, durationMs: number): void {
  world.log(`the stream loses what is written in the next ${Math.round(durationMs / 1000)} s`);
  signals.disturbed('stream-outage');
  for (const stream of streams) stream.lostUntilMs = Math.max(stream.lostUntilMs, world.nowMs + durationMs);
}
