import { DISCARDED_BY_OPERATOR } from '#shared/dead-letter/end-operation.ts';
import { captureOperation, refundOperation } from '#shared/domain/order.ts';
import { type ItemImage, type OperationRecord, operationRecord } from '#shared/item/attributes.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { refundPayment } from '#shared/jobs/refund-payment.ts';
import type { Explanation } from './explanation.ts';
import type { LoadControl } from './load-control.ts';

/** What to do about an order, or why nothing is to be done. */
export interface NextStep {
  readonly why: string;
  /** To be typed as it stands; null where there is nothing to type. */
  readonly command: string | null;
}

type Known = Omit<Explanation, 'next'>;
interface Moment {
  readonly heldBack: LoadControl;
  readonly nowMs: number;
}

/** The steps an order calls for, the most urgent first; never empty. */
export function nextSteps(known: Known, moment: Moment): readonly NextStep[] {
  const steps = [
    ...moneySteps(known),
    ...letterSteps(known),
    ...lostLetterSteps(known),
    ...waitingSteps(known, moment),
    ...cacheSteps(known),
  ];
  return steps.length > 0 ? steps : [{ why: 'Nothing is left to do.', command: null }];
}

function moneySteps({ capturesAtProvider }: Known): NextStep[] {
  if ((capturesAtProvider ?? 0) < 2) return [];
  return [
    {
      why: 'The provider charged this order more than once: give back the charges the order does not name, at the provider.',
      command: null,
    },
  ];
}

/** Letters that one command shows are told of together. */
function letterSteps(known: Known): NextStep[] {
  const commandFor = ({ key, messageId }: Known['letters'][number]): string =>
    key === null ? inspectionOf(messageId) : inspectionOfOrder(nameOf(known));
  return [...Map.groupBy(known.letters, commandFor)].map(([command, letters]) => {
    const where = letters.map(({ queue, reason }) => `${queue} (${reason})`).join(', ');
    const waiting = letters.length === 1 ? 'A dead letter waits' : `${letters.length} dead letters wait`;
    return { why: `${waiting} in ${where}: see what a replay would do.`, command };
  });
}

const inspectionOfOrder = (name: string): string => `npm run andal -- dlq inspect --key ${name}`;
/** A letter that is no job we can read has no key. */
const inspectionOf = (messageId: string): string => ['npm', 'run', 'andal', '--', 'dlq', 'inspect', messageId].join(' ');

const nameOf = ({ order }: Known): string => `${String(order['userId'])}/${String(order['orderId'])}`;

const auditOf = (name: string): string => `npm run andal -- audit --key ${name} --since 30d`;

/** Discarded and no letter seen: it never went out, cannot be seen now, or somebody has dealt with it. */
function lostLetterSteps(known: Known): NextStep[] {
  const { order, letters } = known;
  return Object.entries(order).flatMap(([attribute, value]): NextStep[] => {
    const record = value as Partial<OperationRecord> | null;
    if (!attribute.startsWith('op:') || record?.status !== 'discarded') return [];
    const operation = attribute.slice('op:'.length);
    if (letters.some(({ key }) => key?.startsWith(`${operation.split(':')[0]}:`) ?? true)) return [];
    if (record.buried !== true)
      return [{ why: `${operation} was given up and its letter is not out yet: the rescue sends it.`, command: 'npm run andal -- sweep' }];
    const ended = `${operation} was ${record.reason === DISCARDED_BY_OPERATOR ? 'discarded by a person' : 'given up'}`;
    return [
      unseenLetterStep(known, ended) ?? { why: `${ended} and its letter is gone: see who dealt with it.`, command: auditOf(nameOf(known)) },
    ];
  });
}

/** What was not seen is not gone. */
function unseenLetterStep(known: Known, ended: string): NextStep | undefined {
  const behind = known.lookedThrough.filter(({ unseen }) => unseen > 0);
  if (behind.length === 0) return undefined;
  const where = behind.map(({ queue, unseen }) => `about ${unseen} of ${queue}`).join(', ');
  return {
    why: `${ended}; its letter may be among those that could not be seen now (${where}). They come back within two minutes: look again.`,
    command: ['npm', 'run', 'andal', '--', 'explain', nameOf(known)].join(' '),
  };
}

function waitingSteps(known: Known, { heldBack, nowMs }: Moment): NextStep[] {
  const { order, held } = known;
  const kind = kindInForce(order['status']);
  if (kind === undefined || isGivenUp(order)) return [];
  if (held !== null && held.untilMs > nowMs) return [{ why: 'A worker is at it.', command: 'npm run andal -- status --watch' }];
  if (heldBack.paused.some((pause) => pause.kind === kind))
    return [{ why: `${kind} is paused.`, command: `npm run andal -- resume ${kind}` }];
  if (heldBack.circuits.some(({ state }) => state !== 'closing'))
    return [
      {
        why: 'The circuit of the provider is open; jobs wait until it answers again, and lose nothing.',
        command: 'npm run andal -- status --watch',
      },
    ];
  return [overdueStep(order, nowMs)];
}

function overdueStep(order: Known['order'], nowMs: number): NextStep {
  const overdueAtMs = order['overdueAtMs'];
  if (typeof overdueAtMs === 'number')
    return overdueAtMs > nowMs
      ? {
          why: `It failed and will run again by itself; the rescue looks after it from ${new Date(overdueAtMs).toISOString()} on.`,
          command: 'npm run andal -- status --watch',
        }
      : { why: 'It should have run again by now: run the rescue.', command: 'npm run andal -- sweep' };
  return {
    why: 'Its message is on its way or waits in its queue. Should no queue hold anything, look for lost messages.',
    command: 'npm run andal -- sweep --dry-run --whole-table',
  };
}

/** Nothing of it is on its way: its letter says what is to be done. */
function isGivenUp(order: Known['order']): boolean {
  const { status, attempt, refundAttempt } = order as { status?: unknown; attempt?: number; refundAttempt?: number };
  const operation = status === 'refund_pending' ? refundOperation(refundAttempt ?? 1) : captureOperation(attempt ?? 1);
  return operationRecord(order as ItemImage, operation)?.status === 'discarded';
}

function kindInForce(status: unknown): string | undefined {
  if (status === 'pending_payment') return capturePayment.kind;
  return status === 'refund_pending' ? refundPayment.kind : undefined;
}

const cacheSteps = ({ cache }: Known): NextStep[] =>
  cache.state === 'value' && cache.current === false
    ? [
        {
          why: 'The cache tells something else than the table. A moment after a change that is the stream on its way; if it stays so:',
          command: 'npm run andal -- cache verify --all --repair',
        },
      ]
    : [];
