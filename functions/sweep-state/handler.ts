import type { Context } from 'aws-lambda';
import { type Sweep, type SweepTally, sweep } from '#shared/rescue/sweep.ts';
import type { SweepWorld } from '#shared/rescue/sweep-page.ts';

export interface SweepStateWorld {
  readonly parts: Sweep;
  readonly sweep: SweepWorld;
  /** Tells a person that something here needs one. */
  count(name: 'SweepUnreadable' | 'SweepRefused' | 'SweepFound', value: number): void;
  /** One line a run. */
  log(run: SweepTally): void;
}

/** Goes on with today's sweep; a run that finds it done has looked at nothing and says nothing. */
export const createHandler =
  ({ parts, sweep: world, count, log }: SweepStateWorld) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const tally = await sweep(parts, world, () => context.getRemainingTimeInMillis());
    if (tally.unreadable > 0) count('SweepUnreadable', tally.unreadable);
    if (tally.refused > 0) count('SweepRefused', tally.refused);
    if (tally.sent > 0) count('SweepFound', tally.sent);
    if (tally.looked > 0 || tally.sent > 0) log(tally);
  };
