import { type BreakerRow, isHealed, readBreaker, type Standing, standingOf } from '#shared/breaker/circuit.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import type { Mapping, MappingControl } from '#shared/control/mapping-control.ts';
import { breakerRow, mappingRow, mappingSchema, pauseRow, readRow, slowRow, slowSchema } from '#shared/control/rows.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { type Course, decide } from './decide.ts';

export interface Governor {
  readonly control: ControlStore;
  readonly mappings: MappingControl;
  readonly clock: { nowMs(): number };
  /** Multiplies the breaker's durations; 1 but in stage local. */
  readonly timeScale: number;
  /** The stage's limit to every kind; left out where the definitions decide alone. */
  readonly maxConcurrency?: number;
}

/** Without a governor's word for this long, anybody may turn a queue on again (rescue-jobs does). */
const DEADLINE_MS = 5 * 60_000;

export interface Governed {
  /** Batches that run side by side from now on; 0 while the queue is off. */
  readonly concurrency: number;
  /** The circuit of the kind's dependency lets at most a probe through. */
  readonly circuitOpen: boolean;
}

/**
 * Brings one kind's mapping where it should be.
 *
 * @throws when Control or Lambda does not answer; the mapping is then as it was, or off with a deadline on record
 */
export async function governKind({ kind, queue, dependency }: AnyJobDefinition, mapping: Mapping, governor: Governor): Promise<Governed> {
  const { control, clock } = governor;
  const [pause, health] = await Promise.all([control.get(pauseRow(kind)), healthOf(dependency, governor)]);
  const { standing, slowSinceMs } = health;
  const slowAgoMs = slowSinceMs === undefined ? undefined : clock.nowMs() - slowSinceMs;
  const maxConcurrency = Math.min(queue.maxConcurrency, governor.maxConcurrency ?? queue.maxConcurrency);
  const course = decide({ mapping, maxConcurrency, paused: pause !== undefined, standing, slowAgoMs });
  const concurrency = await (course.run ? run(kind, course, mapping, governor) : stop(kind, course, mapping, governor));
  return { concurrency, circuitOpen: standing !== 'closed' && standing !== 'closing' };
}

interface Health {
  readonly standing: Standing['state'];
  readonly slowSinceMs: number | undefined;
}

async function healthOf(dependency: string | undefined, { control, clock, timeScale }: Governor): Promise<Health> {
  if (dependency === undefined) return { standing: 'closed', slowSinceMs: undefined };
  const [breaker, slow] = await Promise.all([control.get(breakerRow(dependency)), control.get(slowRow(dependency))]);
  const row = readBreaker(breaker);
  if (row !== undefined && isHealed(row, clock.nowMs(), timeScale)) await forgetBreaker(dependency, row, control);
  return { standing: standingOf(row, clock.nowMs(), timeScale).state, slowSinceMs: readRow(slowSchema, slow)?.sinceMs };
}

/** Unless it has opened again since it was read. */
const forgetBreaker = (dependency: string, { closedAtMs }: BreakerRow, control: ControlStore) =>
  control.delete(breakerRow(dependency), {
    state: { equals: 'closing' },
    ...(closedAtMs === undefined ? {} : { closedAtMs: { equals: closedAtMs } }),
  });

/** The deadline is written before the mapping goes off: a governor that dies in between leaves a row too many, never a queue that stays off. */
async function stop(kind: string, { reason }: Extract<Course, { run: false }>, mapping: Mapping, governor: Governor): Promise<number> {
  const { control, mappings, clock } = governor;
  const nowMs = clock.nowMs();
  const before = readRow(mappingSchema, await control.get(mappingRow(kind)));
  await control.put(mappingRow(kind), { disabledAtMs: before?.disabledAtMs ?? nowMs, deadlineMs: nowMs + DEADLINE_MS, reason });
  if (mapping.enabled && !mapping.changing) await mappings.disable(kind);
  return 0;
}

/** The row goes after the mapping is on, for the same reason. */
async function run(
  kind: string,
  { concurrency }: Extract<Course, { run: true }>,
  mapping: Mapping,
  { control, mappings }: Governor,
): Promise<number> {
  const asItShouldBe = mapping.enabled && mapping.maxConcurrency === concurrency;
  if (mapping.changing && !asItShouldBe) return mapping.enabled ? (mapping.maxConcurrency ?? concurrency) : 0;
  if (!asItShouldBe) await mappings.enable(kind, concurrency);
  const row = readRow(mappingSchema, await control.get(mappingRow(kind)));
  if (row !== undefined) await control.delete(mappingRow(kind), { deadlineMs: { equals: row.deadlineMs } });
  return concurrency;
}
