import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { type Governor, governKind } from './govern.ts';

export interface GovernQueuesWorld extends Governor {
  readonly jobs: readonly AnyJobDefinition[];
  gauge(name: 'Concurrency', value: number, dimensions: { kind: string }): void;
  /** One line a run. */
  log(run: { readonly concurrency: Readonly<Record<string, number>>; readonly failed: Readonly<Record<string, string>> }): void;
}

/**
 * Each minute: whose queues are consumed, and how fast. One kind's trouble keeps no other from being governed.
 *
 * @throws when a kind could not be governed, after all others were
 */
export const createHandler = (world: GovernQueuesWorld) => async (): Promise<void> => {
  const mappings = await world.mappings.list();
  const concurrency: Record<string, number> = {};
  const failed: Record<string, string> = {};
  const govern = async (definition: AnyJobDefinition): Promise<void> => {
    const { kind } = definition;
    const mapping = mappings.find((one) => one.kind === kind);
    if (mapping === undefined) return;
    try {
      concurrency[kind] = await governKind(definition, mapping, world);
      world.gauge('Concurrency', concurrency[kind], { kind });
    } catch (error) {
      failed[kind] = error instanceof Error ? error.name : typeof error;
    }
  };
  await Promise.all(world.jobs.map(govern));
  world.log({ concurrency, failed });
  if (Object.keys(failed).length > 0) throw new Error(`not governed: ${Object.keys(failed).join(', ')}; the next run tries again`);
};
