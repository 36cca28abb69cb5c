import type { Context } from 'aws-lambda';
import type { RescueWorld } from '#shared/rescue/rescue-item.ts';
import { type OverdueIndex, type RescueTally, rescueOverdue } from '#shared/rescue/rescue-overdue.ts';

export interface RescueJobsWorld {
  readonly index: OverdueIndex;
  readonly rescue: RescueWorld;
  /** Enables every mapping that its governor disabled and did not come back to in time. */
  enableForgottenMappings(): Promise<readonly string[]>;
  /** Tells a person that something here needs one. */
  count(name: 'RescueUnreadable' | 'RescueFailed' | 'MappingForgotten', value: number): void;
  /** One line a run. */
  log(run: { readonly items: RescueTally; readonly mappings: readonly string[] }): void;
}

/** Each minute: items whose jobs are overdue, and mappings whose governor has died. Neither waits for the other. */
export const createHandler =
  ({ index, rescue, enableForgottenMappings, count, log }: RescueJobsWorld) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const [mapped, rescued] = await Promise.allSettled([
      enableForgottenMappings(),
      rescueOverdue(index, rescue, () => context.getRemainingTimeInMillis()),
    ]);
    const mappings = mapped.status === 'fulfilled' ? mapped.value : [];
    const items = rescued.status === 'fulfilled' ? rescued.value : {};
    if (items.unreadable !== undefined) count('RescueUnreadable', items.unreadable);
    if (items.failed !== undefined) count('RescueFailed', items.failed);
    if (mappings.length > 0) count('MappingForgotten', mappings.length);
    log({ items, mappings });
    for (const part of [mapped, rescued]) if (part.status === 'rejected') throw part.reason;
  };
