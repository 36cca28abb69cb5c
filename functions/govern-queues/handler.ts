import { METRICS } from '#shared/contract/metric-names.ts';
import type { Measured } from '#shared/runtime/metrics.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { type Governed, type Governor, governKind } from './govern.ts';

export interface GovernQueuesWorld extends Governor {
  readonly jobs: readonly AnyJobDefinition[];
  /** One line a run, and one for each kind with how wide its queue is open. */
  log(
    run: { readonly concurrency: Readonly<Record<string, number>>; readonly failed: Readonly<Record<string, string>> },
    measured: readonly Measured[],
  ): void;
}

/**
 * Each minute: whose queues are consumed, and how fast. One kind's trouble keeps no other from being governed.
 *
 * @throws when a kind could not be governed, after all others were
 */
export const createHandler = (world: GovernQueuesWorld) => async (): Promise<void> => {
  const mappings = await world.mappings.list();
  const governed = new Map<AnyJobDefinition, Governed>();
  const failed: Record<string, string> = {};
  const govern = async (definition: AnyJobDefinition): Promise<void> => {
    const { kind } = definition;
    const mapping = mappings.find((one) => one.kind === kind);
    if (mapping === undefined) return;
    try {
      governed.set(definition, await governKind(definition, mapping, world));
    } catch (error) {
      failed[kind] = error instanceof Error ? error.name : typeof error;
    }
  };
  await Promise.all(world.jobs.map(govern));
  const concurrency = Object.fromEntries([...governed].map(([{ kind }, one]) => [kind, one.concurrency]));
  world.log(
    { concurrency, failed },
    [...governed].map(([{ kind }, one]) => measuredOf(kind, one)),
  );
  if (Object.keys(failed).length > 0) throw new Error(`not governed: ${Object.keys(failed).join(', ')}; the next run tries again`);
};

/** A queue that is off runs 0 batches, which is worth a value although it is a zero. */
const measuredOf = (kind: string, { concurrency, circuitOpen }: Governed): Measured => ({
  dimensions: { kind },
  values: { [METRICS.concurrency]: [concurrency], [METRICS.breakerOpen]: circuitOpen ? 1 : 0 },
});
