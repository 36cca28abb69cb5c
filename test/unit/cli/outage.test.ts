import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { BreakerRow } from '#shared/breaker/circuit.ts';
import { isNeverSent } from '#shared/payments/connection-failure.ts';
import type { OrderFacts } from '../../../cli/demo/audit.ts';
import { type Outage, outageVerdicts, perTenSeconds } from '../../../cli/demo/outage/judge.ts';
import { type Sighting, timeline } from '../../../cli/demo/outage/observe.ts';
import { openProviderGate } from '../../../cli/demo/outage/provider-gate.ts';

const FROM_MS = 1_000_000;
const atSecond = (seconds: number): number => FROM_MS + seconds * 1_000;
const circuit = (rest: Partial<BreakerRow>): BreakerRow => ({ state: 'open', openings: 1, openedAtMs: atSecond(1), ...rest });
const sighting = (seconds: number, rest: Partial<Sighting> = {}): Sighting => ({
  atMs: atSecond(seconds),
  circuit: undefined,
  consumed: true,
  concurrency: 2,
  ...rest,
});

const closing = circuit({ state: 'closing', openings: 3, closedAtMs: atSecond(70) });
const good: Outage = {
  fromMs: FROM_MS,
  untilMs: atSecond(60),
  waiting: { orders: 300, ended: 0, attempts: 0 },
  refusedAtMs: [1, 1, 1, 1, 1, 8, 25].map(atSecond),
  answeredTooLate: [],
  callsAtMs: [-2, 70, 70.1, 72, 74].map(atSecond),
  sightings: [
    sighting(-1),
    sighting(1, { circuit: circuit({}) }),
    sighting(25, { circuit: circuit({ openings: 3 }), consumed: false }),
    sighting(65, { circuit: circuit({ openings: 3 }), concurrency: 2 }),
    sighting(70, { circuit: closing }),
    sighting(120, { concurrency: 4 }),
  ],
  batchSize: 10,
  callsPerSecond: 200,
  timeScale: 0.1,
};
const PROMISES = ['costs no attempt', 'first attempt', 'one probe', 'switched off and on', 'in steps'];
const verdict = (promise: string, change: Partial<Outage> = {}, facts: readonly OrderFacts[] = []) =>
  outageVerdicts({ ...good, ...change }, facts).find((one) => one.promise.includes(promise));

describe('the verdicts of an outage', () => {
  it('are good when calls and consumption stopped, came back in steps, and nothing was spent', () => {
    expect(PROMISES.map((promise) => verdict(promise)?.kept)).toEqual([true, true, true, true, true]);
    expect(verdict('switched off and on')?.seen).toBe('off 25 s after the outage began, on again 5 s after it ended, at concurrency 2, 4');
  });

  it.each([
    ['an attempt was spent', 'costs no attempt', { waiting: { orders: 300, ended: 0, attempts: 1 } }],
    ['an order ended without a provider', 'costs no attempt', { waiting: { orders: 300, ended: 1, attempts: 0 } }],
    ['calls went on while the circuit was open', 'one probe', { refusedAtMs: [1, 8, 10, 12, 14, 16].map(atSecond) }],
    ['more calls failed than were under way', 'one probe', { refusedAtMs: Array.from({ length: 30 }, () => atSecond(1)) }],
    ['the circuit never opened', 'one probe', { sightings: [sighting(-1), sighting(1)] }],
    ['the queue stayed off', 'switched off and on', { sightings: good.sightings.slice(0, 3) }],
    [
      'everybody called at once when it closed',
      'in steps',
      { callsAtMs: Array.from({ length: 200 }, (_, index) => atSecond(70 + index / 200)) },
    ],
  ] as const)('are bad when %s', (_, promise, change) => {
    expect(verdict(promise, change as Partial<Outage>)?.kept).toBe(false);
  });

  it('do not claim what was not seen', () => {
    const neverOff = good.sightings.filter(({ consumed }) => consumed);
    expect(verdict('switched off and on', { sightings: neverOff })).toMatchObject({
      kept: undefined,
      seen: expect.stringContaining('not seen'),
    });
    expect(verdict('in steps', { sightings: good.sightings.slice(0, 3) })?.kept).toBeUndefined();
  });

  it('name the order that took more than one attempt', () => {
    const order = { userId: 'u', orderId: 'o', attempts: 2 } as OrderFacts;
    expect(verdict('first attempt', {}, [order])).toMatchObject({ kept: false, orders: ['u/o'] });
  });

  it('do not charge the outage with an answer that came too late after it', () => {
    const orders = [{ userId: 'u', orderId: 'o', attempts: 2 } as OrderFacts];
    const answeredTooLate = ['capture:u/o:1'];
    expect(verdict('first attempt', { answeredTooLate }, orders)).toMatchObject({
      kept: true,
      seen: expect.stringContaining('1 met an answer that came too late'),
    });
    expect(verdict('first attempt', { answeredTooLate: [] }, orders)?.kept).toBe(false);
  });

  it('count calls by tens of seconds from the moment the circuit closed', () => {
    expect(perTenSeconds([-5, 0, 9.9, 10, 31].map(atSecond), FROM_MS)).toEqual([2, 1, 0, 1]);
    expect(perTenSeconds([], FROM_MS)).toEqual([0]);
  });

  it('come with one line a change', () => {
    expect(timeline(good.sightings.slice(1, 3), FROM_MS)).toEqual([
      '   1.0 s  circuit open (opening 1), queue consumed at concurrency 2',
      '  25.0 s  circuit open (opening 3), queue switched off',
    ]);
  });
});

describe("the provider's gate", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  async function provider(): Promise<string> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const said = { method: request.method, url: request.url, key: request.headers['idempotency-key'], body };
      response.writeHead(409, { 'content-type': 'application/problem+json', 'retry-after': '3' }).end(JSON.stringify(said));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    ends.push(() => new Promise((closed) => server.close(closed)));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
  }

  it('passes calls and answers on unchanged, and counts them', async () => {
    const gate = await openProviderGate(await provider());
    ends.unshift(() => gate.close());
    const answer = await fetch(`${gate.url}/payment-intents/pi-1/capture?x=1`, {
      method: 'POST',
      headers: { 'idempotency-key': 'k-1', 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('content-type')]).toEqual([
      409,
      '3',
      'application/problem+json',
    ]);
    expect(await answer.json()).toEqual({ method: 'POST', url: '/base/payment-intents/pi-1/capture?x=1', key: 'k-1', body: '{"a":1}' });
    expect(gate.calls).toHaveLength(1);
  });

  it('refuses connections while it is closed, so that a call is known not to have been sent, and opens at the same address', async () => {
    const gate = await openProviderGate(await provider());
    ends.unshift(() => gate.close());
    await (await fetch(`${gate.url}/a`)).text();
    await gate.close();
    const failure = await fetch(`${gate.url}/b`).catch((error: unknown) => error);
    expect(isNeverSent(failure)).toBe(true);
    await gate.open();
    expect((await fetch(`${gate.url}/c`)).status).toBe(409);
    expect(gate.calls).toHaveLength(2);
  });
});
