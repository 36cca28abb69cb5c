import type { ControlStore } from './control-store.ts';
import { mappingRow, mappingSchema, readRow } from './rows.ts';

/** The switches between queues and workers, one a job kind. Adapter: shared/aws/lambda-mappings.ts. */
export interface MappingControl {
  list(): Promise<readonly Mapping[]>;
  /** Turns the mapping on, or changes how many batches it runs side by side. */
  enable(kind: string, maxConcurrency: number): Promise<void>;
  disable(kind: string): Promise<void>;
}

export interface Mapping {
  readonly kind: string;
  /** What was asked for last, whether or not it has taken effect. */
  readonly enabled: boolean;
  readonly maxConcurrency: number | undefined;
  /** Between two states; AWS refuses changes meanwhile. */
  readonly changing: boolean;
}

export interface MappingDeadline {
  readonly kind: string;
  readonly disabledAtMs: number;
  readonly deadlineMs: number;
  readonly reason: string;
}

/** AWS accepts no lower concurrency for a queue's mapping. */
export const LEAST_CONCURRENCY = 2;

/** What the governor has turned off, and until when it vouches for that. */
export async function readMappingDeadlines(control: ControlStore, kinds: readonly string[]): Promise<MappingDeadline[]> {
  const rows = await Promise.all(kinds.map(async (kind) => ({ kind, row: readRow(mappingSchema, await control.get(mappingRow(kind))) })));
  return rows.flatMap(({ kind, row }) => (row === undefined ? [] : [{ kind, ...row }]));
}

/**
 * The kinds to turn on again at the least concurrency: whoever turned them off has not renewed its word in time. Turn on
 * first, delete the row afterwards; gate and breaker still hold what must be held, message by message.
 */
export const mappingsPastDeadline = (deadlines: readonly MappingDeadline[], nowMs: number): string[] =>
  deadlines.filter(({ deadlineMs }) => nowMs > deadlineMs).map(({ kind }) => kind);
