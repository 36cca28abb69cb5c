import { fromAttributeValues } from '#shared/aws/attribute-values.ts';
import type { OperationRecord } from '#shared/item/attributes.ts';
import { targetOf } from '#shared/worker/job-target.ts';
import { deadLetterQueueOf, TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { OWN_JOB_DONE } from '../modes/required-situations.ts';
import { definitionOf, type OwnKind } from '../scenario/own-kind.ts';
import type { Simulation } from '../simulation.ts';
import { DONE_MEANS_DONE, doneMeansHeard } from './done-means-heard.ts';
import { idOf } from './item-views.ts';
import { breakerCloses } from './l6-breaker-closes.ts';
import { leaseDeadlines } from './l8-lease-deadlines.ts';
import { oneCharge } from './s01-one-charge.ts';
import { oneEffect } from './s06-one-effect.ts';
import { fencing } from './s07-fencing.ts';
import { breaker } from './s16-breaker.ts';
import { noLeaks } from './s20-no-leaks.ts';
import { trackReceipts } from './sent-receipts.ts';

/**
 * What is watched when a job of any kind runs by itself. The other checkers know orders, and what they say of anything else would be
 * wrong; these know jobs, items and the provider only.
 */
export const ownKindInvariants = (own: OwnKind): readonly Invariant[] => [
  oneCharge,
  oneEffect,
  fencing,
  breaker,
  noLeaks,
  breakerCloses,
  leaseDeadlines,
  stableKey,
  doneMeansAnswered(own),
  doneMeansHeard(own),
  durableBeforeAck(own),
  everyJobEnds(own),
  mailOnce(own),
];

const ACTS = new Set(['capture', 'refund', 'void']);

const stableKey: Invariant = {
  id: 'S11',
  promise: 'all calls of one intent that act have one key, and it is there, and one body',
  watch(_, violate) {
    const first = new Map<string, { readonly key: string; readonly body: string }>();
    return {
      providerCalled({ operation, paymentIntentId, key, body }) {
        if (!ACTS.has(operation)) return;
        if (key === undefined || key === '') return violate(`${operation} of ${paymentIntentId} has no idempotency key`);
        const known = first.get(`${operation} ${paymentIntentId}`);
        if (known === undefined) return void first.set(`${operation} ${paymentIntentId}`, { key, body });
        if (known.key !== key) violate(`${operation} of ${paymentIntentId} is called under two keys, ${known.key} and ${key}`);
        else if (known.body !== body) violate(`${operation} of ${paymentIntentId} is called under ${key} with two bodies`);
      },
    };
  },
};

/** Told by the provider's books; whether the job could know is told by doneMeansHeard. */
const doneMeansAnswered = (own: OwnKind): Invariant => ({
  id: 'S12',
  promise: DONE_MEANS_DONE,
  watch(simulation, violate) {
    const open = new Set<string>();
    let isJudged = false;
    return {
      providerCalled({ operation, paymentIntentId }) {
        if (operation === 'capture' || operation === 'refund') open.add(paymentIntentId);
      },
      providerAnswered({ paymentIntentId }, { status }) {
        if (status === 200) open.delete(paymentIntentId);
      },
      providerMoved: ({ effect }) => void open.delete(effect.paymentIntentId),
      itemWritten() {
        if (isJudged || recordOf(simulation, own)?.status !== 'completed') return;
        isJudged = true;
        simulation.happened(OWN_JOB_DONE);
        if (open.size === 0) return;
        violate(`${own.kind} is done, and ${[...open].join(', ')} was neither carried out nor refused by the provider`);
      },
    };
  },
});

function recordOf({ dynamodb }: Simulation, { kind, payload }: OwnKind): OperationRecord | undefined {
  const definition = definitionOf(kind);
  const { key, operation } = targetOf(definition, definition.payload.parse(payload));
  const item = dynamodb.item(TABLES.state, { pk: { S: key.pk }, sk: { S: key.sk } });
  return item && (fromAttributeValues(item as never)[`op:${operation}`] as OperationRecord | undefined);
}

/** Every receipt it sends, whatever it calls it. */
const mailOnce = (own: OwnKind): Invariant => ({
  id: 'S25',
  promise: 'no receipt is sent a second time by a worker that could have asked whether it was',
  watch(_, violate) {
    const definition = definitionOf(own.kind);
    const id = idOf(targetOf(definition, definition.payload.parse(own.payload)).key);
    const sent = trackReceipts(() => id);
    return {
      itemWritten(written) {
        const again = sent.itemWritten(written);
        if (again !== undefined) violate(again);
      },
    };
  },
});

const queueNameOf = ({ jobQueues }: Simulation, { kind }: OwnKind): string =>
  jobQueues.find(({ definition }) => definition.kind === kind)?.queueName ?? kind;

const durableBeforeAck = (own: OwnKind): Invariant => ({
  id: 'S4',
  promise: 'a message leaves its queue only when its operation is finished, or its letter stands for it',
  watch(simulation, violate) {
    const queueName = queueNameOf(simulation, own);
    return {
      messageDeleted(from, { body }) {
        if (from !== queueName || recordOf(simulation, own) !== undefined) return;
        const stands = [queueName, deadLetterQueueOf(queueName)].some((name) =>
          simulation.sqs.messages(name).some((one) => one.body === body),
        );
        if (!stands) violate(`${own.kind} was acknowledged; its operation is not finished and no copy of it is left`);
      },
    };
  },
});

const everyJobEnds = (own: OwnKind): Invariant => ({
  id: 'L1',
  promise: 'once the faults stop, the job ends: done, or given up with a letter',
  watch(simulation, violate) {
    const queueName = queueNameOf(simulation, own);
    return {
      rested() {
        const record = recordOf(simulation, own);
        if (record !== undefined || simulation.sqs.messages(deadLetterQueueOf(queueName)).length > 0) return;
        violate(`${own.kind} has neither been done nor given up, and has no letter`);
      },
    };
  },
});
