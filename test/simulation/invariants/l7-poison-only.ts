import { scriptOf } from '#shared/payments/magic-amounts.ts';
import type { Message } from '../../support/fake-aws/fake-sqs.ts';
import { deadLetterQueueOf, INVALIDATION_RETRY, OUTBOX_FAILED } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { ItemWritten } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import { createHealthyTimes } from './healthy-times.ts';
import { idOf, imageOf, type JobName, jobOf, keyIn, numberOf } from './item-views.ts';
import { isPoison } from './poison.ts';
import { standingOf } from './promised-jobs.ts';

/** A letter that could not be marked as sent is written again by the next copy. */
const LETTERS_PER_ENDING = 6;

/** No time and no fault makes these a success. */
const FOR_A_PERSON = new Set([
  'malformed',
  'unsupported-version',
  'order-not-found',
  'payload-mismatch',
  'attempt-not-opened',
  'order-unreadable',
  'stock-insufficient',
  'export-part-missing',
  'captured-amount-differs',
  'refunded-at-provider',
  'nothing-captured-at-provider',
  'idempotency-key-reused',
]);

export const poisonOnly: Invariant = {
  id: 'L7',
  promise:
    'dead-letter queues hold poison only: in healthy times nothing else, after faults a few letters for each ending and none for a job that is done; once a person has worked them off, nothing that could succeed',
  watch(simulation, violate) {
    const times = createHealthyTimes(simulation);
    const letters = new Map<string, number>();
    const queues = deadLetterQueues(simulation);
    let isLookedAfter = false;
    const lateWorkers = new Set<string>();
    return {
      ...times.watch,
      /** Thawed, it sends the letter that it was about to send, whatever became of the job meanwhile. */
      invocationEnded(functionName, process, end) {
        times.watch.invocationEnded(functionName, process, end);
        if (end.how === 'timed-out') lateWorkers.add(process.name);
      },
      itemWritten(written) {
        times.watch.itemWritten(written);
        for (const slot of endingsIn(written)) letters.delete(slot);
      },
      queueCalled({ operation, input }, by) {
        if (operation !== 'SendMessage' || !queues.has(String(input.QueueUrl).split('/').at(-1) ?? '')) return;
        const body = String(input.MessageBody);
        const reason = reasonOf(input.MessageAttributes?.andal?.StringValue);
        const job = isPoison(body) ? undefined : jobOf(keyIn(body) ?? '');
        if (job === undefined) return;
        const standing = standingOf(simulation, job);
        if (standing === 'completed' && reason !== 'payload-mismatch' && reason !== 'malformed' && !lateWorkers.has(by))
          violate(`${by} writes a letter (${reason}) for ${job.key}, which is done`);
        if (standing === 'discarded') letters.set(slotOf(job), (letters.get(slotOf(job)) ?? 0) + 1);
        const count = letters.get(slotOf(job)) ?? 0;
        if (count > LETTERS_PER_ENDING) violate(`${job.key} gets its ${count}th letter for one ending`);
        if (times.last && !FOR_A_PERSON.has(reason)) violate(`${job.key} is dead-lettered (${reason}) in healthy times`);
      },
      operatorActs({ body }) {
        times.watch.operatorActs();
        isLookedAfter = true;
        const job = jobOf(keyIn(body) ?? '');
        if (job !== undefined) letters.delete(slotOf(job));
      },
      finished() {
        // A story without an operator keeps its letters.
        if (!isLookedAfter) return;
        for (const queueName of queues) {
          const left = simulation.sqs.messages(queueName).find((letter) => couldSucceed(letter, simulation));
          if (left !== undefined) violate(`${queueName} still holds ${keyIn(left.body)} (${reasonIn(left)})`);
        }
      },
    };
  },
};

const deadLetterQueues = ({ jobQueues }: Simulation): Set<string> =>
  new Set([...jobQueues.map(({ queueName }) => queueName), OUTBOX_FAILED, INVALIDATION_RETRY].map(deadLetterQueueOf));

const slotOf = ({ item, operation }: JobName): string => `${idOf(item)} ${operation}`;

/** What a write ends; each new ending has letters of its own. */
function endingsIn({ table, id, old, next }: ItemWritten): string[] {
  if (table !== 'State' || next === undefined) return [];
  return Object.keys(next).flatMap((name) => (name.startsWith('op:') && old?.[name] === undefined ? [`${id} ${name.slice(3)}`] : []));
}

function reasonOf(letter: string | undefined): string {
  return letter === undefined ? 'none' : String((JSON.parse(letter) as { readonly reason?: string }).reason);
}

const reasonIn = ({ attributes }: Message): string => reasonOf(attributes['andal']?.StringValue);

/** Not poison, not for a person, and about something that the provider tells of: replayed in calm weather, it ends. */
function couldSucceed(letter: Message, simulation: Simulation): boolean {
  if (isPoison(letter.body) || FOR_A_PERSON.has(reasonIn(letter))) return false;
  const job = jobOf(keyIn(letter.body) ?? '');
  const order = job && imageOf(simulation, job.item);
  return order === undefined || scriptOf(numberOf(order, 'amountMinor')).findUnavailable !== true;
}
