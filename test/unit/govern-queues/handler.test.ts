import { describe, expect, it } from 'vitest';
import type { Mapping } from '#shared/control/mapping-control.ts';
import { breakerRow, mappingRow, pauseRow, slowRow } from '#shared/control/rows.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { createHandler } from '../../../functions/govern-queues/handler.ts';
import { createMemoryControl } from '../../support/memory-control.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const FIVE_MINUTES_MS = 300_000;

function bench(limits: { maxConcurrency?: number } = {}) {
  const clock = createVirtualClock();
  const control = createMemoryControl();
  const state: Record<string, Mapping> = {
    'capture-payment': { kind: 'capture-payment', enabled: true, maxConcurrency: 20, changing: false },
    'send-receipt': { kind: 'send-receipt', enabled: true, maxConcurrency: 10, changing: false },
  };
  /** What happened, in order: writes to Control and to Lambda. */
  const done: string[] = [];
  let lambdaFails: ((call: string) => boolean) | undefined;
  const call = (text: string) => {
    if (lambdaFails?.(text)) throw new Error('no answer');
    done.push(text);
  };
  const { put, delete: remove } = control;
  control.put = async (id, ...rest) => {
    done.push(`put ${id}`);
    return put(id, ...rest);
  };
  control.delete = async (id, ...rest) => {
    done.push(`delete ${id}`);
    return remove(id, ...rest);
  };
  const gauges: Record<string, number> = {};
  const handler = createHandler({
    jobs: [capturePayment, sendReceipt],
    control,
    clock,
    timeScale: 1,
    ...limits,
    mappings: {
      list: async () => Object.values(state),
      enable: async (kind, maxConcurrency) => {
        call(`enable ${kind} ${maxConcurrency}`);
        state[kind] = { kind, enabled: true, maxConcurrency, changing: false };
      },
      disable: async (kind) => {
        call(`disable ${kind}`);
        state[kind] = { ...state[kind]!, enabled: false };
      },
    },
    log(_run, measured) {
      for (const { dimensions, values } of measured) gauges[dimensions.kind ?? ''] = [values.Concurrency].flat()[0] ?? Number.NaN;
    },
  });
  const run = async () => {
    done.length = 0;
    await handler();
    return done;
  };
  return { clock, control, state, gauges, run, handler, done, failLambda: (fails: typeof lambdaFails) => (lambdaFails = fails) };
}

describe('the governor', () => {
  it('writes nothing and turns nothing while all is well, and shows how wide each queue is open', async () => {
    const { run, gauges } = bench();
    expect(await run()).toEqual([]);
    expect(gauges).toEqual({ 'capture-payment': 20, 'send-receipt': 10 });
  });

  it('opens no queue wider than the stage allows, whatever its definition says', async () => {
    const { run, gauges } = bench({ maxConcurrency: 2 });
    expect((await run()).toSorted()).toEqual(['enable capture-payment 2', 'enable send-receipt 2']);
    expect(await run()).toEqual([]);
    expect(gauges).toEqual({ 'capture-payment': 2, 'send-receipt': 2 });
  });

  it('puts its deadline on record before it turns a paused kind off, and renews it with every run', async () => {
    const { run, clock, control, gauges } = bench();
    control.rows.set(pauseRow('capture-payment'), { pausedAtMs: 0, by: 'x', reason: 'y' });
    const startMs = clock.nowMs();
    expect(await run()).toEqual(['put mapping:capture-payment', 'disable capture-payment']);
    clock.advance(60_000);
    expect(await run()).toEqual(['put mapping:capture-payment']);
    expect(control.rows.get(mappingRow('capture-payment'))).toMatchObject({
      disabledAtMs: startMs,
      deadlineMs: startMs + 60_000 + FIVE_MINUTES_MS,
      reason: 'paused',
    });
    expect(gauges['capture-payment']).toBe(0);
  });

  it('takes the row away after the mapping is on again', async () => {
    const { run, control } = bench();
    control.rows.set(pauseRow('capture-payment'), { pausedAtMs: 0, by: 'x', reason: 'y' });
    await run();
    control.rows.delete(pauseRow('capture-payment'));
    expect(await run()).toEqual(['enable capture-payment 2', 'delete mapping:capture-payment']);
    expect(control.rows.size).toBe(0);
  });

  it('turns off only what stands behind an open circuit, lets two come for the probe, and widens in steps afterwards', async () => {
    const { run, clock, control, state } = bench();
    const row = { state: 'open', openings: 1, openedAtMs: clock.nowMs(), retryAtMs: clock.nowMs() + 90_000 };
    control.rows.set(breakerRow('payment-provider'), row);
    await run();
    expect(state).toMatchObject({ 'capture-payment': { enabled: false }, 'send-receipt': { enabled: true, maxConcurrency: 10 } });
    clock.advance(90_000);
    await run();
    expect(state['capture-payment']).toMatchObject({ enabled: true, maxConcurrency: 2 });
    control.rows.set(breakerRow('payment-provider'), { state: 'closing', openings: 1, openedAtMs: 0, closedAtMs: clock.nowMs() });
    const widths: (number | undefined)[] = [];
    for (let minute = 0; minute < 5; minute++) {
      await run();
      widths.push(state['capture-payment']?.maxConcurrency);
      clock.advance(60_000);
    }
    expect(widths).toEqual([4, 8, 16, 20, 20]);
    expect(control.rows.size).toBe(0);
  });

  it('does not forget a circuit that opened again while it looked', async () => {
    const { run, clock, control } = bench();
    const healed = {
      id: breakerRow('payment-provider'),
      state: 'closing',
      openings: 1,
      openedAtMs: 0,
      closedAtMs: clock.nowMs() - 3_600_000,
    };
    const opened = { ...healed, state: 'open', openings: 1, retryAtMs: clock.nowMs() + 15_000 };
    control.rows.set(healed.id, opened);
    const { get } = control;
    control.get = async (id) => (id === healed.id ? healed : get(id));
    await run();
    expect(control.rows.get(healed.id)).toEqual(opened);
  });

  it('narrows the queues of a slow dependency', async () => {
    const { run, clock, control, state } = bench();
    control.rows.set(slowRow('payment-provider'), { sinceMs: clock.nowMs() - 10_000, p50Ms: 5_000 });
    await run();
    expect(state).toMatchObject({ 'capture-payment': { maxConcurrency: 10 }, 'send-receipt': { maxConcurrency: 10 } });
  });

  it('leaves a mapping alone that is between two states, but not without a deadline', async () => {
    const { run, control, state } = bench();
    control.rows.set(pauseRow('capture-payment'), { pausedAtMs: 0, by: 'x', reason: 'y' });
    state['capture-payment'] = { ...state['capture-payment']!, changing: true };
    state['send-receipt'] = { ...state['send-receipt']!, enabled: false, changing: true };
    expect(await run()).toEqual(['put mapping:capture-payment']);
  });

  it('leaves, when it dies between the two, a row too many and never a queue that is off without one', async () => {
    const { handler, done, control, state, failLambda } = bench();
    control.rows.set(pauseRow('capture-payment'), { pausedAtMs: 0, by: 'x', reason: 'y' });
    failLambda((call) => call.startsWith('disable'));
    await expect(handler()).rejects.toThrow('not governed: capture-payment');
    expect(done).toEqual(['put mapping:capture-payment']);
    control.rows.delete(pauseRow('capture-payment'));
    state['capture-payment'] = { ...state['capture-payment']!, enabled: false };
    failLambda((call) => call.startsWith('enable'));
    await expect(handler()).rejects.toThrow();
    expect(control.rows.has(mappingRow('capture-payment'))).toBe(true);
  });

  it('governs the others when one kind fails', async () => {
    const { handler, control, state, failLambda } = bench();
    control.rows.set(pauseRow('capture-payment'), { pausedAtMs: 0, by: 'x', reason: 'y' });
    control.rows.set(pauseRow('send-receipt'), { pausedAtMs: 0, by: 'x', reason: 'y' });
    failLambda((call) => call === 'disable capture-payment');
    await expect(handler()).rejects.toThrow();
    expect(state['send-receipt']?.enabled).toBe(false);
  });
});
