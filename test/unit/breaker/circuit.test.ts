import { expect, test } from 'vitest';
import { standingOf } from '#shared/breaker/circuit.ts';

test('a clock that is minutes behind waits no longer than the longest cool-down', () => {
  const row = { state: 'open', openings: 9, openedAtMs: 1_000_000, retryAtMs: 1_300_000 } as const;
  expect(standingOf(row, 1_000_000, 1)).toEqual({ state: 'open', retryAtMs: 1_300_000 });
  expect(standingOf(row, 700_000, 1)).toEqual({ state: 'open', retryAtMs: 1_000_000 });
});
