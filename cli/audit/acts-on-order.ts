import type { ControlStore } from '#shared/control/control-store.ts';
import { type AuditEntry, readAudit } from '#shared/dead-letter/audit.ts';
import type { OrderName } from '../explain/order-name.ts';
import { isAbout } from './audit-filter.ts';
import { daysBetween } from './days.ts';

/** A letter lives 14 days, its message did before, and a replay's may once more. */
const LONGEST_LIFE_MS = 42 * 86_400_000;

/** What people did about the jobs of an order, oldest first. */
export async function actsOnOrder(
  control: ControlStore,
  { userId, orderId }: OrderName,
  fromMs: number,
  nowMs: number,
): Promise<AuditEntry[]> {
  const acts: AuditEntry[] = [];
  for (const day of daysBetween(Math.max(fromMs, nowMs - LONGEST_LIFE_MS), nowMs)) {
    for await (const entry of readAudit(control, day)) if (isAbout(entry.key, `${userId}/${orderId}`)) acts.push(entry);
  }
  return acts;
}
