import type { AuditedAct, AuditTrail } from './audit.ts';

/**
 * Runs one act between its audit entry and the entry's outcome: without the entry nothing is done.
 *
 * @throws what the entry or the act threw
 */
export async function audited<Outcome>(
  act: AuditedAct,
  audit: AuditTrail,
  run: () => Promise<Outcome>,
  outcomeOf: (outcome: Outcome) => string,
): Promise<Outcome> {
  const entry = await audit.begin(act);
  try {
    const outcome = await run();
    await entry.end(outcomeOf(outcome));
    return outcome;
  } catch (error) {
    await entry.end(`failed: ${error instanceof Error ? error.name : 'unknown'}`);
    throw error;
  }
}
