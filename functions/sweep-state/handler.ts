import type { Context } from 'aws-lambda';
import { METRICS } from '#shared/contract/metric-names.ts';
import { type Sweep, type SweepTally, sweep } from '#shared/rescue/sweep.ts';
import type { SweepWorld } from '#shared/rescue/sweep-page.ts';
import type { Measured } from '#shared/runtime/metrics.ts';

export interface SweepStateWorld {
  readonly parts: Sweep;
  readonly sweep: SweepWorld;
  /** One line a run; what is measured tells a person that something here needs one. */
  log(run: SweepTally, measured: Measured): void;
}

/** Goes on with today's sweep; a run that finds it done has looked at nothing and says nothing. */
export const createHandler =
  ({ parts, sweep: world, log }: SweepStateWorld) =>
  async (_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> => {
    const tally = await sweep(parts, world, () => context.getRemainingTimeInMillis());
    if (tally.looked === 0 && tally.sent === 0) return;
    const values = { [METRICS.sweepUnreadable]: tally.unreadable, [METRICS.sweepRefused]: tally.refused, [METRICS.sweepFound]: tally.sent };
    log(tally, { dimensions: {}, values });
  };
