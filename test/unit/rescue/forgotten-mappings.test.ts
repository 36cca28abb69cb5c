import { expect, test } from 'vitest';
import type { MappingControl } from '#shared/control/mapping-control.ts';
import { enableForgottenMappings } from '#shared/rescue/forgotten-mappings.ts';
import { createMemoryControl } from '../../support/memory-control.ts';

const NOW_MS = 1_000_000;
const clock = { nowMs: () => NOW_MS };
const kinds = ['capture-payment', 'refund-payment', 'send-receipt'];
const row = (deadlineMs: number): Record<string, unknown> => ({ disabledAtMs: 1, deadlineMs, reason: 'circuit-open' });

function switches(fails: string[] = []): MappingControl & { enabled: [string, number][] } {
  const enabled: [string, number][] = [];
  return {
    enabled,
    list: async () => [],
    disable: async () => undefined,
    enable: async (kind, maxConcurrency) => {
      if (fails.includes(kind)) throw new Error('busy');
      enabled.push([kind, maxConcurrency]);
    },
  };
}

test('a mapping past its deadline is turned on at the least concurrency and its row goes; one that is vouched for stays off', async () => {
  const control = createMemoryControl();
  await control.put('mapping:capture-payment', row(NOW_MS - 1));
  await control.put('mapping:refund-payment', row(NOW_MS + 1));
  const mappings = switches();
  expect(await enableForgottenMappings({ control, mappings, kinds, clock })).toEqual(['capture-payment']);
  expect(mappings.enabled).toEqual([['capture-payment', 2]]);
  expect(await control.get('mapping:capture-payment')).toBeUndefined();
  expect(await control.get('mapping:refund-payment')).toMatchObject({ deadlineMs: NOW_MS + 1 });
});

test('a mapping that cannot be turned on keeps its row and holds up no other', async () => {
  const control = createMemoryControl();
  for (const kind of kinds) await control.put(`mapping:${kind}`, row(NOW_MS - 1));
  const mappings = switches(['capture-payment']);
  await expect(enableForgottenMappings({ control, mappings, kinds, clock })).rejects.toThrow('busy');
  expect(mappings.enabled).toHaveLength(2);
  expect(await control.get('mapping:capture-payment')).toBeDefined();
  expect(await control.get('mapping:send-receipt')).toBeUndefined();
});

test('a governor that came back meanwhile keeps its new deadline', async () => {
  const control = createMemoryControl();
  await control.put('mapping:capture-payment', row(NOW_MS - 1));
  const mappings = { ...switches(), enable: async () => void (await control.put('mapping:capture-payment', row(NOW_MS + 60_000))) };
  await enableForgottenMappings({ control, mappings, kinds, clock });
  expect(await control.get('mapping:capture-payment')).toMatchObject({ deadlineMs: NOW_MS + 60_000 });
});
