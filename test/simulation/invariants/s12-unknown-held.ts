import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { ItemWritten } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import { trackCallsAgain } from './calls-again.ts';
import { type Execution, trackExecutions } from './executions.ts';
import { type Image, imageOfReference, isOurs, recordedOperations, recordOf, referenceOf } from './item-views.ts';
import { createRefundsCalledOff } from './refunds-called-off.ts';

/** What the provider has answered may be a letter's reason although money moved; `unresolved` says that nobody knows. */
const DISCARDED_BY_OPERATOR = 'discarded-by-operator';
const ANSWERED = new Set(['unresolved', 'captured-amount-differs', 'refunded-at-provider', 'nothing-captured-at-provider']);

/**
 * The provider's books say what happened, its answers what could be known. A decision the books contradict, now or by a call that
 * arrives later, was made without an answer.
 */
export const unknownHeld: Invariant = {
  id: 'S12',
  promise:
    'an unknown outcome is never taken for failed, refunded or cancelled, and never called again, before the provider has said what became of it',
  watch(simulation, violate) {
    const executions = trackExecutions();
    const calledOff = createRefundsCalledOff(violate);
    const again = trackCallsAgain();
    const answered = new Set<string>();
    /** By order and operation. */
    const givenUpOnAnAnswer = new Set<string>();
    return {
      itemWritten(written) {
        executions.itemWritten(written);
        calledOff.itemWritten(written);
        const reference = written.table === TABLES.state && isOurs(written.by) ? referenceOf(written.id) : undefined;
        if (reference === undefined || written.next === undefined) return;
        const run = executions.latest(written.by ?? '', reference);
        if (run?.wasAnswered && wasGivenUp(written, run.operation)) givenUpOnAnAnswer.add(`${reference} ${run.operation}`);
        const wrong = judgeWrite({ ...written, next: written.next }, { simulation, answered });
        if (wrong !== undefined) violate(`${reference}: ${wrong}, by ${written.by}`);
      },
      invocationEnded: calledOff.invocationEnded,
      providerAnswered(call, answer) {
        executions.providerAnswered(call, answer);
        again.providerAnswered(call, answer);
        if (answer.status === 200) answered.add(`${call.operation} ${call.paymentIntentId}`);
      },
      providerCalled(call) {
        if (call.operation !== 'capture' && call.operation !== 'refund') return;
        const behind = executions.behind(call);
        // Who made the call is not always certain; somebody must have been allowed to.
        const earlier = again.providerCalled(call, behind);
        if (behind.length > 0 && (earlier !== undefined || !behind.some(mayCall)))
          violate(`${call.from} calls ${call.operation} of ${call.paymentIntentId} again and has not asked`);
      },
      providerMoved({ effect, key }) {
        if (effect.kind === 'void') return;
        const wrong = judgeMovement(key, effect.reference, { simulation, givenUpOnAnAnswer });
        if (wrong !== undefined) violate(`${effect.kind} of ${effect.reference} (${key}) happened ${wrong}`);
      },
    };
  },
};

const mayCall = ({ sent, wasAnswered }: Execution): boolean => sent <= 1 || wasAnswered;

interface Known {
  readonly simulation: Simulation;
  /** Provider operation and payment intent that got a 200. */
  readonly answered: ReadonlySet<string>;
}

function judgeWrite({ old, next }: ItemWritten & { readonly next: Image }, known: Known): string | undefined {
  const [from, to] = [old?.['status'], next['status']];
  if (from === 'pending_payment' && to === 'payment_declined') return judgeDecline(next, known);
  if (from === 'refund_pending' && (to === 'refunded' || to === 'paid')) return judgeRefund(next, known);
  if ((from === 'payment_declined' && to === 'pending_payment') || (from === 'paid' && to === 'refund_pending')) {
    const capture = recordOf(old, `capture:${old?.['attempt']}`);
    return capture?.status === 'completed' ? undefined : `${from} → ${to} while its capture is not finished`;
  }
  for (const operation of recordedOperations(next)) {
    const record = recordOf(next, operation);
    if (record?.status !== 'discarded' || recordOf(old, operation)?.status === 'discarded' || ANSWERED.has(record.reason ?? '')) continue;
    if (record.reason === DISCARDED_BY_OPERATOR && anotherAmountWasCharged(next, known.simulation)) continue;
    if (happened(operation, next, known.simulation))
      return `${operation} is given up as ${record.reason}, and it has happened at the provider`;
  }
  return undefined;
}

function judgeDecline(next: Image, { simulation, answered }: Known): string | undefined {
  const intentId = String(next['paymentIntentId']);
  const intent = simulation.ledger.intent(intentId);
  if (intent?.status === 'captured' || intent?.status === 'refunded')
    return `declined as ${next['declineReason']}, and the provider has the money`;
  if (next['declineReason'] === 'expired')
    return intent?.status === 'voided' ? undefined : 'declined as expired, and the intent is still open at the provider';
  return answered.has(`capture ${intentId}`) ? undefined : `declined as ${next['declineReason']}, which the provider never said`;
}

function judgeRefund(next: Image, { simulation, answered }: Known): string | undefined {
  const intentId = String(next['paymentIntentId']);
  const isRefunded = simulation.ledger.intent(intentId)?.status === 'refunded';
  if (next['status'] === 'refunded') return isRefunded ? undefined : 'refunded, and the provider has not given the money back';
  if (isRefunded) return `its refund was refused as ${next['refundDeclineReason']}, and the provider has given the money back`;
  const asked = next['refundDeclineReason'] === 'expired' ? 'find' : 'refund';
  return answered.has(`${asked} ${intentId}`)
    ? undefined
    : `its refund was refused as ${next['refundDeclineReason']}, which the provider never said`;
}

/** The provider has said so, and it is for a person to settle: no run can make such an order paid. */
const anotherAmountWasCharged = ({ paymentIntentId, amountMinor }: Image, { ledger }: Simulation): boolean => {
  const intent = ledger.intent(String(paymentIntentId));
  return intent !== undefined && intent.status !== 'voided' && intent.amountMinor !== amountMinor;
};

/** Of an order's own operation: at the provider, whatever anybody knows of it. */
function happened(operation: string, { orderId, paymentIntentId, attempt }: Image, { ledger }: Simulation): boolean {
  const [name, number] = operation.split(':');
  if (name === 'refund') return ledger.intent(String(paymentIntentId))?.status === 'refunded';
  const status = ledger.intent(Number(number) === attempt ? String(paymentIntentId) : `pi-${orderId}-${number}`)?.status;
  return status === 'captured' || status === 'refunded';
}

const wasGivenUp = ({ old, next }: ItemWritten, operation: string): boolean =>
  recordOf(next, operation)?.status === 'discarded' && recordOf(old, operation)?.status !== 'discarded';

interface Movement {
  readonly simulation: Simulation;
  readonly givenUpOnAnAnswer: ReadonlySet<string>;
}

/**
 * Told after it is booked; what the order said before is what it still says.
 *
 * A job whose attempts are spent becomes a letter once the provider has said that no money moved. A worker that was frozen before its
 * call may prove that wrong later: the letter still stands, and whoever replays or discards it asks once more.
 */
function judgeMovement(key: string, reference: string, { simulation, givenUpOnAnAnswer }: Movement): string | undefined {
  const image = imageOfReference(simulation, reference);
  const [name, , number] = key.split(':');
  const operation = `${name}:${number}`;
  const record = recordOf(image, operation);
  if (record?.status === 'discarded') {
    if (ANSWERED.has(record.reason ?? '')) return undefined;
    if (record.reason === 'attempts-spent' && givenUpOnAnAnswer.has(`${reference} ${operation}`)) return undefined;
    return `after it was given up as ${record.reason}`;
  }
  const { declineReason } = (record?.result ?? {}) as { declineReason?: string };
  return declineReason === undefined ? undefined : `after it was declined as ${declineReason}`;
}
