import { setTimeout as sleep } from 'node:timers/promises';
import { type BreakerRow, readBreaker } from '#shared/breaker/circuit.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import type { Mapping, MappingControl } from '#shared/control/mapping-control.ts';
import { breakerRow } from '#shared/control/rows.ts';

/** What was seen at one moment; a sighting equal to the one before is not kept. */
export interface Sighting {
  readonly atMs: number;
  /** Absent: closed. */
  readonly circuit: BreakerRow | undefined;
  readonly consumed: boolean;
  readonly concurrency: number | undefined;
}

export interface Observation {
  readonly sightings: readonly Sighting[];
  end(): Promise<void>;
}

const LOOK_EVERY_MS = 300;

/** Looks at the dependency's circuit and the kind's mapping until it is ended; a look without an answer is left out. */
export function observe(
  { control, mappings }: { control: ControlStore; mappings: MappingControl },
  { dependency, kind }: { dependency: string; kind: string },
): Observation {
  const sightings: Sighting[] = [];
  let ended = false;
  const look = async (): Promise<void> => {
    const [row, listed] = await Promise.all([control.get(breakerRow(dependency)), mappings.list()]);
    const sighting = sightingOf(
      row,
      listed.find((mapping) => mapping.kind === kind),
    );
    if (!isSame(sighting, sightings.at(-1))) sightings.push(sighting);
  };
  const looking = (async () => {
    while (!ended) {
      await look().catch(() => undefined);
      await sleep(LOOK_EVERY_MS);
    }
  })();
  return {
    sightings,
    end: () => {
      ended = true;
      return looking;
    },
  };
}

const sightingOf = (row: Parameters<typeof readBreaker>[0], mapping: Mapping | undefined): Sighting => ({
  atMs: Date.now(),
  circuit: readBreaker(row),
  consumed: mapping?.enabled ?? true,
  concurrency: mapping?.maxConcurrency,
});

const isSame = (sighting: Sighting, before: Sighting | undefined): boolean =>
  before !== undefined &&
  sighting.circuit?.state === before.circuit?.state &&
  sighting.circuit?.openings === before.circuit?.openings &&
  sighting.consumed === before.consumed &&
  sighting.concurrency === before.concurrency;

/** One line a change, in seconds from `fromMs`. */
export const timeline = (sightings: readonly Sighting[], fromMs: number): string[] =>
  sightings.map(({ atMs, circuit, consumed, concurrency }) => {
    const seconds = ((atMs - fromMs) / 1000).toFixed(1).padStart(6);
    const opened = circuit === undefined || circuit.state === 'closing' ? '' : ` (opening ${circuit.openings})`;
    const queue = consumed ? `queue consumed at concurrency ${concurrency ?? 'unlimited'}` : 'queue switched off';
    return `${seconds} s  circuit ${circuit?.state ?? 'closed'}${opened}, ${queue}`;
  });
