import type { PaymentPort } from '#shared/payments/payment-port.ts';

export interface CallTally {
  readonly calls: number;
  /** Calls that our own time limit ended. */
  readonly timeouts: number;
}

export interface CountedPayments {
  readonly payments: PaymentPort;
  /** What was counted since the last time. Numbers alone: they may belong to a run that ended after its batch was counted. */
  take(): CallTally;
}

export function countCalls(port: PaymentPort): CountedPayments {
  let tally = { calls: 0, timeouts: 0 };
  const counted =
    <Request, Call, Answer>(send: (request: Request, call: Call) => Promise<Answer>) =>
    async (request: Request, call: Call): Promise<Answer> => {
      tally.calls++;
      try {
        return await send(request, call);
      } catch (error) {
        if ((error as { code?: unknown }).code === 'provider-timeout') tally.timeouts++;
        throw error;
      }
    };
  return {
    payments: { capture: counted(port.capture), find: counted(port.find), void: counted(port.void), refund: counted(port.refund) },
    take() {
      const taken = tally;
      tally = { calls: 0, timeouts: 0 };
      return taken;
    },
  };
}
