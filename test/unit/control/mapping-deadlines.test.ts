import { expect, it } from 'vitest';
import { mappingsPastDeadline, readMappingDeadlines } from '#shared/control/mapping-control.ts';
import { mappingRow } from '#shared/control/rows.ts';
import { createMemoryControl } from '../../support/memory-control.ts';

it('names the kinds whose governor has not renewed its word in time, and no other', async () => {
  const control = createMemoryControl();
  await control.put(mappingRow('late'), { disabledAtMs: 1, deadlineMs: 999, reason: 'paused' });
  await control.put(mappingRow('renewed'), { disabledAtMs: 1, deadlineMs: 1_000, reason: 'circuit-open' });
  const deadlines = await readMappingDeadlines(control, ['late', 'renewed', 'never-off']);
  expect(deadlines.map(({ kind }) => kind)).toEqual(['late', 'renewed']);
  expect(mappingsPastDeadline(deadlines, 1_000)).toEqual(['late']);
  expect(mappingsPastDeadline(deadlines, 1_001)).toEqual(['late', 'renewed']);
});
