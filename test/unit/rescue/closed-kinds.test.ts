import { expect, test } from 'vitest';
import { createClosedKinds } from '#shared/rescue/closed-kinds.ts';
import { createMemoryControl } from '../../support/memory-control.ts';

const NOW_MS = 1_000_000;
const row = (more: Record<string, unknown>): Record<string, unknown> => ({
  state: 'open',
  openings: 1,
  openedAtMs: NOW_MS - 1_000,
  ...more,
});

test.each<[string, string, Record<string, unknown>, boolean]>([
  ['paused', 'pause:capture-payment', { pausedAtMs: 1, by: 'ops', reason: 'x' }, true],
  ['behind an open circuit', 'breaker:payment-provider', row({ retryAtMs: NOW_MS + 1 }), true],
  [
    'behind a circuit that is being probed',
    'breaker:payment-provider',
    row({ state: 'half-open', retryAtMs: NOW_MS - 1, probeUntilMs: NOW_MS + 1 }),
    true,
  ],
  ['behind a circuit whose probe is due, which a message may be', 'breaker:payment-provider', row({ retryAtMs: NOW_MS - 1 }), false],
  ['behind a circuit that is closing', 'breaker:payment-provider', row({ state: 'closing', closedAtMs: NOW_MS }), false],
  ['beside another that is paused', 'pause:refund-payment', { pausedAtMs: 1, by: 'ops', reason: 'x' }, false],
])('a kind %s is closed or not: %#', async (_what, id, attributes, closed) => {
  const control = createMemoryControl();
  await control.put(id, attributes);
  const isClosedFor = createClosedKinds({ control, clock: { nowMs: () => NOW_MS }, timeScale: 1 });
  expect(await isClosedFor('capture-payment')).toBe(closed);
});

test('a kind without a dependency waits for nobody', async () => {
  const control = createMemoryControl();
  await control.put('breaker:payment-provider', row({ retryAtMs: NOW_MS + 1 }));
  expect(await createClosedKinds({ control, clock: { nowMs: () => NOW_MS }, timeScale: 1 })('send-receipt')).toBe(false);
});
