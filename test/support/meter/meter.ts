import { addUp, type Bill, NOTHING } from '../../../cli/cost/bill.ts';

/** Adds up what is used. Whoever serves requests or runs functions tells it. */
export interface Meter {
  readonly bill: Bill;
  add(used: Partial<Bill>): void;
  /** What was used since the last time, and starts anew. */
  take(): Bill;
}

export function createMeter(): Meter {
  let bill = NOTHING;
  return {
    get bill() {
      return bill;
    },
    add(used) {
      bill = addUp([bill, used]);
    },
    take() {
      const taken = bill;
      bill = NOTHING;
      return taken;
    },
  };
}
