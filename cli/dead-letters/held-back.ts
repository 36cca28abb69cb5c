import { readBreaker } from '#shared/breaker/circuit.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import { breakerRow, pauseRow, pauseSchema, readRow } from '#shared/control/rows.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { describePause } from '../explain/describe-pause.ts';

/** Why jobs of a kind are not begun, and what a person does about it. */
export interface HeldBack {
  readonly by: 'pause' | 'circuit';
  readonly kind: string;
  readonly sentence: string;
  readonly next: string;
}

/** What a replay is told: the letters do go out, and then wait. */
export const describeHeldBack = ({ sentence, next }: HeldBack): string =>
  `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)} What is replayed waits in its queue until then. ${next}`;

/** Somebody's pause, else the open circuit of what the kind depends on; undefined where neither holds it back. */
export async function heldBack(control: Pick<ControlStore, 'get'>, kind: string): Promise<HeldBack | undefined> {
  const row = await control.get(pauseRow(kind));
  if (row !== undefined) {
    const sentence = `${kind} is paused ${describePause(readRow(pauseSchema, row) ?? null)}.`;
    return { by: 'pause', kind, sentence, next: `Resume it: npm run andal -- resume ${kind}` };
  }
  const dependency = jobOfKind(kind)?.dependency;
  const circuit = dependency === undefined ? undefined : readBreaker(await control.get(breakerRow(dependency)));
  if (dependency === undefined || circuit === undefined || circuit.state === 'closing') return undefined;
  const sentence = `the circuit of ${dependency} is open since ${new Date(circuit.openedAtMs).toISOString()}.`;
  return { by: 'circuit', kind, sentence, next: 'It closes when the provider answers again: npm run andal -- status --watch' };
}
