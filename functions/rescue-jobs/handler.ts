import type { Context } from 'aws-lambda';
import { METRICS } from '#shared/contract/metric-names.ts';
import type { RescueWorld } from '#shared/rescue/rescue-item.ts';
import { type OverdueIndex, type RescueTally, rescueOverdue } from '#shared/rescue/rescue-overdue.ts';
import type { Measured } from '#shared/runtime/metrics.ts';

export interface RescueJobsWorld {
  readonly index: OverdueIndex;
  readonly rescue: RescueWorld;
  /** Enables every mapping that its governor disabled and did not come back to in time. */
  enableForgottenMappings(): Promise<readonly string[]>;
  /** One line a run; what is measured tells a person that something here needs one. */
  log(run: { readonly items: RescueTally; readonly mappings: readonly string[] }, measured: Measured): void;
}

/** Each minute: items whose jobs are overdue, and mappings whose governor has died. Neither waits for the other. */
export const createHandler =
  ({ index, rescue, enableForgottenMappings, log }: RescueJobsWorld) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const [mapped, rescued] = await Promise.allSettled([
      enableForgottenMappings(),
      rescueOverdue(index, rescue, () => context.getRemainingTimeInMillis()),
    ]);
    const mappings = mapped.status === 'fulfilled' ? mapped.value : [];
    const items = rescued.status === 'fulfilled' ? rescued.value : {};
    const values = {
      [METRICS.rescueUnreadable]: items.unreadable ?? 0,
      [METRICS.rescueFailed]: items.failed ?? 0,
      [METRICS.mappingForgotten]: mappings.length,
    };
    log({ items, mappings }, { dimensions: {}, values });
    for (const part of [mapped, rescued]) if (part.status === 'rejected') throw part.reason;
  };
