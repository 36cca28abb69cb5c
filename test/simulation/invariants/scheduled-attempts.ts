import { SETTINGS } from '../cloud/functions.ts';
import { TABLES } from '../cloud/names.ts';
import type { Process } from '../kernel/process.ts';
import type { ItemWritten } from '../observer.ts';
import { createClocks } from './clocks.ts';
import { recordOf, referenceOf } from './item-views.ts';

/** As long as the provider remembers a key. */
const WAIT_MS = SETTINGS.keyHorizonSeconds * 1000;
const CUSTOMERS = 'accept-payment-attempt';

/** A declined order that nobody asks for is tried again by itself, a day after the decline by the clock of whoever tries it. */
export function createScheduledAttempts(violate: (how: string) => void) {
  const clocks = createClocks();
  return {
    itemWritten({ table, id, old, next, by, atMs }: ItemWritten): void {
      const reference = table === TABLES.state ? referenceOf(id) : undefined;
      if (reference === undefined || by === undefined || by.startsWith(CUSTOMERS)) return;
      if (old?.['status'] !== 'payment_declined' || next?.['status'] !== 'pending_payment') return;
      const declinedAtMs = recordOf(old, `capture:${old['attempt']}`)?.atMs;
      if (declinedAtMs === undefined) return violate(`${by} tries ${reference} again, which no decline is recorded of`);
      clocks.whenKnown([by], () => {
        const earlyMs = declinedAtMs + WAIT_MS - atMs - (clocks.aheadMs(by) ?? 0);
        if (earlyMs > 1) violate(`${by} tries ${reference} again ${Math.round(earlyMs / 1000)} s before its day is over`);
      });
    },
    invocationEnded: (_functionName: string, process: Process): void => clocks.saw(process),
  };
}
