import { METRICS } from '#shared/contract/metric-names.ts';
import { DEFERRAL_ALARM_MS } from '#shared/retry/schedule.ts';
import type { Measured } from '#shared/runtime/metrics.ts';
import type { EndedDelivery } from '#shared/worker/execute-batch.ts';
import type { Worker } from '#shared/worker/worker.ts';
import type { CallTally } from './count-calls.ts';
import { type ErrorClass, errorClassOf } from './error-class.ts';

export interface BatchMeasured {
  /** Everything about the kind: goes out with the batch's own line. */
  readonly kind: Measured;
  /** One for each class of error that the batch met, as a rule none. */
  readonly classes: readonly Measured[];
}

type Meaning = 'done' | 'failed' | 'buried' | 'duplicate' | 'contended' | 'deferred';

/** Whatever is not named here went back unspent: paused, limited, early, behind an open circuit, without time. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  committed: 'done',
  retry: 'failed',
  unknown: 'failed',
  'claim-unanswered': 'failed',
  'settle-unanswered': 'failed',
  claimed: 'failed',
  broken: 'failed',
  'dead-lettered': 'buried',
  duplicate: 'duplicate',
  'duplicate-of-discarded': 'duplicate',
  superseded: 'duplicate',
  busy: 'contended',
  'changed-meanwhile': 'contended',
  fenced: 'contended',
};

const meaningOf = ({ ending: { outcome } }: EndedDelivery): Meaning => MEANINGS[outcome] ?? 'deferred';
const codeOf = ({ ending: { outcome, facts } }: EndedDelivery): string => facts.code ?? outcome;
/** It held the lease: it is no message that was turned away. */
const hasRun = ({ ending: { facts } }: EndedDelivery): boolean => facts.owner !== undefined;

/** What a batch came to, in the numbers that alarms and dashboard look at. */
export function measureBatch(
  ended: readonly EndedDelivery[],
  worker: Pick<Worker, 'definition' | 'timeScale' | 'clock'>,
  calls: CallTally,
) {
  const { kind } = worker.definition;
  const of = (...meanings: Meaning[]): EndedDelivery[] => ended.filter((one) => meanings.includes(meaningOf(one)));
  const buried = of('buried');
  const failed = [...of('failed'), ...buried.filter(hasRun)];
  const unknown = ended.filter(({ ending }) => ending.outcome === 'unknown');
  const overdueMs = DEFERRAL_ALARM_MS * worker.timeScale;
  const values: Measured['values'] = {
    [METRICS.jobsDone]: of('done').length,
    [METRICS.jobsFailed]: failed.length,
    [METRICS.lettersBuried]: buried.length,
    [METRICS.runTime]: ended.filter(hasRun).flatMap(({ ending: { facts } }) => facts.durationMs ?? []),
    [METRICS.duplicates]: of('duplicate').length,
    [METRICS.contended]: of('contended').length,
    [METRICS.deferred]: of('deferred').length,
    [METRICS.deferralOverdue]: ended.filter(({ ending }) => (ending.facts.ageMs ?? 0) > overdueMs).length,
    [METRICS.unsupportedVersion]: ended.filter(({ ending }) => ending.outcome === 'unsupported-version').length,
    [METRICS.unknownOutcomes]: unknown.length,
    [METRICS.unknownAge]: unknown.map(({ delivery }) => Math.max(0, worker.clock.nowMs() - delivery.firstReceivedAtMs) / 1000),
    [METRICS.reconciliationMismatch]: buried.filter((one) => errorClassOf(codeOf(one)) === 'reconciliation').length,
    [METRICS.dependencyCalls]: calls.calls,
    [METRICS.dependencyTimeouts]: calls.timeouts,
  };
  return { kind: { dimensions: { kind }, values }, classes: classesOf(kind, of('failed'), buried) } satisfies BatchMeasured;
}

function classesOf(kind: string, retried: readonly EndedDelivery[], buried: readonly EndedDelivery[]): Measured[] {
  const classOf = (one: EndedDelivery): ErrorClass => errorClassOf(codeOf(one));
  const [retries, letters] = [Map.groupBy(retried, classOf), Map.groupBy(buried, classOf)];
  return [...new Set([...retries.keys(), ...letters.keys()])].map((errorClass) => ({
    dimensions: { kind, errorClass },
    values: { [METRICS.retries]: retries.get(errorClass)?.length ?? 0, [METRICS.deadLetters]: letters.get(errorClass)?.length ?? 0 },
  }));
}
