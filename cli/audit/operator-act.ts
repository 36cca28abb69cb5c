import type { ControlStore } from '#shared/control/control-store.ts';
import { type AuditedAct, createAuditTrail } from '#shared/dead-letter/audit.ts';
import { audited as auditedBy } from '#shared/dead-letter/audited.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { systemRandom } from '#shared/runtime/random.ts';

/** Something an operator does to the pipeline, not to a letter. */
export interface OperatorAct {
  /** As `andal audit --what` takes it. */
  readonly what: AuditedAct['what'];
  readonly who: string;
  readonly why: string;
  /** The job kind it is about, where it is about one. */
  readonly kind?: string | undefined;
}

/**
 * Runs one act between its audit entry and the entry's outcome: without the entry nothing is done.
 *
 * @throws what the entry or the act threw
 */
export const audited = <Outcome>(
  control: ControlStore,
  act: OperatorAct,
  run: () => Promise<Outcome>,
  outcomeOf: (outcome: Outcome) => string,
): Promise<Outcome> => auditedBy(act, createAuditTrail({ control, clock: systemClock, random: systemRandom }), run, outcomeOf);
