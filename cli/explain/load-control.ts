import { readBreaker } from '#shared/breaker/circuit.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import type { MappingControl } from '#shared/control/mapping-control.ts';
import { breakerRow, mappingRow, mappingSchema, type Pause, pauseRow, pauseSchema, readRow } from '#shared/control/rows.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { describePause } from './describe-pause.ts';

/** What holds work back on purpose: somebody's pause, an open circuit, a queue that is switched off. */
export interface LoadControl {
  readonly paused: readonly { readonly kind: string; readonly pause: Pause | null }[];
  readonly circuits: readonly Circuit[];
  readonly switchedOff: readonly SwitchedOff[];
}

export interface Circuit {
  readonly dependency: string;
  /** `closing`: the dependency answers again and calls come back in steps. */
  readonly state: 'open' | 'half-open' | 'closing';
  /** In a row, without the dependency being well in between. */
  readonly openings: number;
  readonly openedAtMs: number;
  /** When one job tries it; null while closing. */
  readonly retryAtMs: number | null;
}

export interface SwitchedOff {
  readonly kind: string;
  /** The governor's reason; null when it was not the governor. */
  readonly reason: string | null;
  readonly disabledAtMs: number | null;
}

export const NOTHING_HELD_BACK: LoadControl = { paused: [], circuits: [], switchedOff: [] };

export async function readLoadControl(
  control: ControlStore,
  mappings: MappingControl,
  jobs: readonly AnyJobDefinition[],
): Promise<LoadControl> {
  const kinds = jobs.map(({ kind }) => kind);
  const dependencies = [...new Set(jobs.flatMap(({ dependency }) => dependency ?? []))];
  const [paused, circuits, listed] = await Promise.all([
    Promise.all(kinds.map(async (kind) => ({ kind, row: await control.get(pauseRow(kind)) }))),
    Promise.all(dependencies.map((dependency) => readCircuit(control, dependency))),
    mappings.list(),
  ]);
  return {
    paused: paused.flatMap(({ kind, row }) => (row === undefined ? [] : [{ kind, pause: readRow(pauseSchema, row) ?? null }])),
    circuits: circuits.filter((circuit) => circuit !== undefined),
    switchedOff: await Promise.all(listed.filter(({ enabled }) => !enabled).map(({ kind }) => readSwitchedOff(control, kind))),
  };
}

async function readCircuit(control: ControlStore, dependency: string): Promise<Circuit | undefined> {
  const row = readBreaker(await control.get(breakerRow(dependency)));
  if (row === undefined) return undefined;
  const { state, openings, openedAtMs, retryAtMs = null } = row;
  return { dependency, state, openings, openedAtMs, retryAtMs };
}

async function readSwitchedOff(control: ControlStore, kind: string): Promise<SwitchedOff> {
  const row = readRow(mappingSchema, await control.get(mappingRow(kind)));
  return { kind, reason: row?.reason ?? null, disabledAtMs: row?.disabledAtMs ?? null };
}

/** One sentence each; empty when nothing is held back. */
export const describeLoadControl = ({ paused, circuits, switchedOff }: LoadControl): string[] => [
  ...paused.map(({ kind, pause }) => `Paused: ${kind} ${describePause(pause)} (end it with \`npm run andal -- resume ${kind}\`)`),
  ...circuits.map(describeCircuit),
  ...switchedOff.map(({ kind, reason, disabledAtMs }) =>
    reason === null
      ? `Switched off: the queue of ${kind}, not by the governor; it switches it on again within a minute.`
      : `Switched off by the governor: the queue of ${kind} since ${at(disabledAtMs)} (${reason}).`,
  ),
];

function describeCircuit({ dependency, state, openings, openedAtMs, retryAtMs }: Circuit): string {
  if (state === 'closing') return `Circuit closing: ${dependency} answers again and calls come back in steps.`;
  return `Circuit open: ${dependency} since ${at(openedAtMs)}, opened ${openings} times in a row; not tried again before ${at(retryAtMs)}.`;
}

const at = (timeMs: number | null): string => (timeMs === null ? 'an unknown time' : new Date(timeMs).toISOString());
