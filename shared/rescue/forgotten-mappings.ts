import type { ControlStore } from '#shared/control/control-store.ts';
import { LEAST_CONCURRENCY, type MappingControl, mappingsPastDeadline, readMappingDeadlines } from '#shared/control/mapping-control.ts';
import { mappingRow } from '#shared/control/rows.ts';

export interface MappingsWorld {
  readonly control: ControlStore;
  readonly mappings: MappingControl;
  readonly kinds: readonly string[];
  readonly clock: { nowMs(): number };
}

/**
 * Turns on again what the governor turned off and then forgot: it renews its deadline as long as it lives and means it.
 *
 * Does not protect against a mapping that a person turned off by hand; there is no deadline for that.
 *
 * @returns the kinds that were turned on
 * @throws when a mapping or a row could not be written; the others were still tried
 */
export async function enableForgottenMappings({ control, mappings, kinds, clock }: MappingsWorld): Promise<string[]> {
  const deadlines = await readMappingDeadlines(control, kinds);
  const forgotten = mappingsPastDeadline(deadlines, clock.nowMs());
  const enabled = await Promise.allSettled(
    forgotten.map(async (kind) => {
      await mappings.enable(kind, LEAST_CONCURRENCY);
      // A governor that came back meanwhile has set another deadline, and that one stays.
      const deadlineMs = deadlines.find((deadline) => deadline.kind === kind)?.deadlineMs ?? 0;
      await control.delete(mappingRow(kind), { deadlineMs: { equals: deadlineMs } });
    }),
  );
  const failed = enabled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return forgotten;
}
