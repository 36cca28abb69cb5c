import { describe, expect, it } from 'vitest';
import { ASK_FIRST_ROW, breakerRow, pauseRow, rateRow } from '#shared/control/rows.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { type CaptureAnswer, type PaymentPort, ProviderError } from '#shared/payments/payment-port.ts';
import { createGate } from '#shared/worker/gate.ts';
import { Deferral, RetryableError } from '#shared/worker/outcome.ts';
import type { Ports } from '#shared/worker/ports.ts';
import { createMemoryControl } from '../../support/memory-control.ts';
import { createVirtualTime } from '../../support/virtual-time.ts';

// B69 B71
const CALL = { timeoutMs: 10_000 };
const request = { idempotencyKey: 'k', paymentIntentId: 'i', reference: 'r', amountMinor: 1, currency: 'EUR' };
const captured: CaptureAnswer = { status: 'captured', captureId: 'c', amountMinor: 1, currency: 'EUR' };

interface Provider {
  calls: number;
  answer: () => Promise<CaptureAnswer>;
}

function bench({ callsPerSecond = 100 } = {}) {
  const time = createVirtualTime();
  const clock = time.clock();
  const control = createMemoryControl();
  const provider: Provider = { calls: 0, answer: async () => captured };
  const payments = {
    capture: () => {
      provider.calls++;
      return provider.answer();
    },
    find: async () => {
      provider.calls++;
      return { status: 'not-captured' };
    },
  } as unknown as PaymentPort;
  let tokens = 0;
  const random = { fraction: () => 0, token: () => `t-${++tokens}` };
  const gate = () =>
    createGate({
      control,
      clock,
      random,
      timeScale: 1,
      callsPerSecond: { 'payment-provider': callsPerSecond },
      ports: { payments } as Ports,
    });
  /** What the promise came to, with time running for it. */
  const ended = async <T>(work: Promise<T>): Promise<T | Error> => {
    const outcome = work.catch((error: Error) => error);
    await time.run(outcome);
    return outcome;
  };
  const admitted = async (from = gate()) => {
    const admission = await ended(from.admit(capturePayment));
    if (admission instanceof Error || !admission.admitted) throw new Error('not admitted');
    return admission;
  };
  return { time, clock, control, provider, gate, ended, admitted };
}

const fails = (code: string, sent: 'no' | 'maybe') => async () => Promise.reject(new ProviderError(code, { sent }));

describe('a kind without a dependency', () => {
  it('passes with its ports as they are, after one read', async () => {
    const { control, gate, ended } = bench();
    expect(await ended(gate().admit({ ...sendReceipt, ask: undefined } as never))).toMatchObject({ admitted: true, askFirst: false });
    expect(control.calls).toEqual([`get ${pauseRow('send-receipt')}`]);
  });

  it('is held while it is paused, and passes a second after that ended', async () => {
    const { control, gate, ended, time } = bench();
    await control.put(pauseRow('send-receipt'), { pausedAtMs: 0, by: 'x', reason: 'y' });
    const one = gate();
    expect(await ended(one.admit(sendReceipt))).toEqual({ admitted: false, code: 'paused' });
    await control.delete(pauseRow('send-receipt'));
    await time.runUntil(1_000);
    expect(await ended(one.admit(sendReceipt))).toMatchObject({ admitted: true });
  });

  it('waits when the Control table does not answer', async () => {
    const { control, gate, ended } = bench();
    control.failure = new Error('no answer');
    expect(await ended(gate().admit(sendReceipt))).toEqual({ admitted: false, code: 'gate-unanswered' });
  });
});

describe('asking first', () => {
  it('is wished for while the row says so, and not after', async () => {
    const { control, clock, admitted, time } = bench();
    await control.put(ASK_FIRST_ROW, { untilMs: clock.nowMs() + 5_000 });
    expect((await admitted()).askFirst).toBe(true);
    await time.runUntil(5_000);
    expect((await admitted()).askFirst).toBe(false);
  });
});

describe('calls', () => {
  it('use the token taken at the admission first, then one each', async () => {
    const { control, admitted, ended, provider } = bench();
    const { ports } = await admitted();
    const writes = () => control.calls.filter((call) => call === `update ${rateRow('payment-provider')}`).length;
    expect(writes()).toBe(1);
    expect(await ended(ports.payments.capture(request, CALL))).toEqual(captured);
    expect(writes()).toBe(1);
    await ended(ports.payments.capture(request, CALL));
    expect(writes()).toBe(2);
    expect(provider.calls).toBe(2);
  });

  it('take a new token when the claim took so long that theirs is void', async () => {
    const { control, admitted, ended, time } = bench();
    const { ports } = await admitted();
    await time.runUntil(time.nowMs + 100);
    await ended(ports.payments.capture(request, CALL));
    expect(control.calls.filter((call) => call.startsWith('update rate'))).toHaveLength(2);
  });

  it('are fetched a token beside the claim while slots are had at once', async () => {
    const { control, gate, admitted, ended, time } = bench();
    const one = gate();
    await ended((await admitted(one)).ports.payments.capture(request, CALL));
    const update = control.update;
    let answer = () => {};
    control.update = async (...args) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return update(...args);
    };
    const admission = await ended(one.admit(capturePayment));
    expect(admission).toMatchObject({ admitted: true });
    await time.runUntil(time.nowMs + 1);
    answer();
  });

  it('that are refused a slot before the claim hold the job back there', async () => {
    const { control, clock, gate, ended, admitted } = bench();
    const one = gate();
    await admitted(one);
    await control.put(rateRow('payment-provider'), { nextSlotMs: clock.nowMs() + 3_600_000, asOfMs: clock.nowMs() });
    await admitted(one).catch(() => undefined);
    expect(await ended(one.admit(capturePayment))).toEqual({ admitted: false, code: 'rate-limited' });
  });

  it('that are refused a slot after the claim put the job off without an attempt', async () => {
    const { control, clock, admitted, ended, provider } = bench();
    const { ports } = await admitted();
    await ended(ports.payments.find({ paymentIntentId: 'i' }, CALL));
    await control.put(rateRow('payment-provider'), { nextSlotMs: clock.nowMs() + 3_600_000, asOfMs: clock.nowMs() });
    const error = await ended(ports.payments.capture(request, CALL));
    expect(error).toBeInstanceOf(Deferral);
    expect(error).toMatchObject({ code: 'rate-limited' });
    expect(provider.calls).toBe(1);
  });

  it('after one that may have charged end as an attempt that may have been sent, never as a deferral', async () => {
    const { control, clock, admitted, ended } = bench();
    const { ports } = await admitted();
    await ended(ports.payments.capture(request, CALL));
    await control.put(rateRow('payment-provider'), { nextSlotMs: clock.nowMs() + 3_600_000, asOfMs: clock.nowMs() });
    const error = await ended(ports.payments.capture(request, CALL));
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({ code: 'rate-limited', sent: 'maybe' });
  });

  it('are put off when the table stops answering, before the claim and after it', async () => {
    const { control, admitted, ended, gate, provider, time } = bench();
    const one = gate();
    const { ports } = await admitted(one);
    await ended(ports.payments.find({ paymentIntentId: 'i' }, CALL));
    control.failure = new Error('no answer');
    await time.runUntil(time.nowMs + 2_000);
    for (let job = 0; job < 30; job++) expect(await ended(one.admit(capturePayment))).toEqual({ admitted: false, code: 'gate-unanswered' });
    expect(await ended(ports.payments.capture(request, CALL))).toMatchObject({ name: 'Deferral', code: 'gate-unanswered' });
    expect(provider.calls).toBe(1);
  });

  it('need a limit for their dependency, or the worker says at once what is missing', async () => {
    const { control, clock } = bench();
    const random = { fraction: () => 0, token: () => 't' };
    const gate = createGate({ control, clock, random, timeScale: 1, callsPerSecond: {}, ports: {} as Ports });
    await expect(gate.admit(capturePayment)).rejects.toThrow('no rate limit is set for payment-provider');
  });
});

describe('a failing provider', () => {
  it.each([
    ['provider-unreachable', 'no'],
    ['provider-authentication', 'no'],
    ['provider-endpoint-unknown', 'no'],
    ['provider-timeout', 'maybe'],
    ['provider-connection-lost', 'maybe'],
    ['provider-answered-503', 'maybe'],
    ['provider-answer-unreadable', 'maybe'],
  ] as const)('that is %s five times in a row opens its circuit; the error itself goes on as it was', async (code, sent) => {
    const { control, gate, admitted, ended, provider } = bench();
    provider.answer = fails(code, sent);
    const one = gate();
    for (let job = 0; job < 5; job++)
      expect(await ended((await admitted(one)).ports.payments.capture(request, CALL))).toMatchObject({ code, sent });
    expect(control.rows.get(breakerRow('payment-provider'))).toMatchObject({ state: 'open' });
    expect(await ended(one.admit(capturePayment))).toMatchObject({ admitted: false, code: 'circuit-open', retryAfterMs: 15_000 });
  });

  it.each([
    'provider-rate-limited',
    'provider-rejected-request',
    'idempotency-key-in-use',
    'idempotency-key-reused',
    'request-malformed',
    'call-abandoned',
  ])('that is %s fifty times in a row keeps its circuit closed', async (code) => {
    const { control, gate, admitted, ended, provider } = bench();
    provider.answer = fails(code, 'no');
    const one = gate();
    for (let job = 0; job < 50; job++) await ended((await admitted(one)).ports.payments.capture(request, CALL));
    expect(control.rows.has(breakerRow('payment-provider'))).toBe(false);
  });

  it('keeps its circuit closed by declining, however often', async () => {
    const { control, gate, admitted, ended, provider } = bench();
    provider.answer = async () => ({ status: 'declined', reason: 'card' });
    const one = gate();
    for (let job = 0; job < 50; job++) await ended((await admitted(one)).ports.payments.capture(request, CALL));
    expect(control.rows.has(breakerRow('payment-provider'))).toBe(false);
  });
});

describe('an open circuit whose cool-down is over', () => {
  const open = async () => {
    const world = bench();
    await world.control.put(breakerRow('payment-provider'), { state: 'open', openings: 1, openedAtMs: 0, retryAtMs: world.clock.nowMs() });
    return world;
  };

  it('lets one call of 50 jobs in 5 processes reach a provider that hangs, and holds the others before their claim', async () => {
    const { gate, provider, time } = await open();
    provider.answer = () => new Promise(() => undefined);
    const outcomes: string[] = [];
    for (const one of Array.from({ length: 5 }, gate)) {
      for (let job = 0; job < 10; job++) {
        void one.admit(capturePayment).then((admission) => {
          outcomes.push(admission.admitted ? 'admitted' : admission.code);
          if (admission.admitted) void admission.ports.payments.capture(request, CALL);
        });
      }
    }
    await time.runUntil(CALL.timeoutMs);
    expect(provider.calls).toBe(1);
    expect(outcomes.filter((outcome) => outcome === 'circuit-open')).toHaveLength(49);
  });

  it('closes when the probe is answered; its job goes on calling, others come back in part', async () => {
    const { control, gate, admitted, ended, provider } = await open();
    const one = gate();
    const { ports } = await admitted(one);
    await ended(ports.payments.find({ paymentIntentId: 'i' }, CALL));
    expect(control.rows.get(breakerRow('payment-provider'))).toMatchObject({ state: 'closing' });
    expect(await ended(ports.payments.capture(request, CALL))).toEqual(captured);
    expect(provider.calls).toBe(2);
    expect(await ended(one.admit(capturePayment))).toMatchObject({ admitted: true });
  });

  it('opens again when the probe fails, and no further call is made', async () => {
    const { control, gate, admitted, ended, provider } = await open();
    provider.answer = fails('provider-timeout', 'maybe');
    const one = gate();
    await ended((await admitted(one)).ports.payments.capture(request, CALL));
    expect(control.rows.get(breakerRow('payment-provider'))).toMatchObject({ state: 'open', openings: 2 });
    expect(await ended(one.admit(capturePayment))).toMatchObject({ admitted: false, code: 'circuit-open' });
    expect(provider.calls).toBe(1);
  });
});
