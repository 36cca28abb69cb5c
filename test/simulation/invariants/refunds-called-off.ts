import { SETTINGS } from '../cloud/functions.ts';
import { TABLES } from '../cloud/names.ts';
import type { Process } from '../kernel/process.ts';
import type { ItemWritten } from '../observer.ts';
import { createClocks } from './clocks.ts';
import { numberOf, referenceOf } from './item-views.ts';

const HORIZON_MS = SETTINGS.keyHorizonSeconds * 1000;

/**
 * No refund can be closed at the provider, so it is called off only once its key is forgotten there: until then a call that is still
 * out may carry it out. By the clock of whoever calls it off.
 */
export function createRefundsCalledOff(violate: (how: string) => void) {
  const clocks = createClocks();
  return {
    itemWritten({ table, id, old, next, by, atMs }: ItemWritten): void {
      const reference = table === TABLES.state ? referenceOf(id) : undefined;
      if (reference === undefined || by === undefined || old?.['status'] !== 'refund_pending' || next?.['status'] !== 'paid') return;
      if (next['refundDeclineReason'] !== 'expired') return;
      const askedAtMs = numberOf(old, old['refundAtMs'] === undefined ? 'intentAtMs' : 'refundAtMs');
      clocks.whenKnown([by], () => {
        const earlyMs = askedAtMs + HORIZON_MS - atMs - (clocks.aheadMs(by) ?? 0);
        if (earlyMs > 1) violate(`${by} calls the refund of ${reference} off ${Math.round(earlyMs / 1000)} s before its key is forgotten`);
      });
    },
    invocationEnded: (_functionName: string, process: Process): void => clocks.saw(process),
  };
}
