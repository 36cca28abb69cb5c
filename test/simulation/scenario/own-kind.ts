import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { queueText } from '#shared/contract/queue-text.ts';
import { jobs } from '#shared/jobs/index.ts';
import { type AnyJobDefinition, job } from '#shared/worker/define-job.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import { TABLES } from '../cloud/names.ts';
import type { Simulation } from '../simulation.ts';
import { settleLetters } from './settle-letters.ts';
import type { Story } from './story.ts';

export interface OwnKind {
  /** As its file names it. */
  readonly kind: string;
  readonly payload: unknown;
  /** The business item the job works on, as it is before the job; left out for a kind with items of its own. */
  readonly item?: Readonly<Record<string, unknown>>;
}

const MINUTE_MS = 60_000;

/**
 * A job of any registered kind, brought to its queue as the dispatcher would, some copies of it at once and some later. What the kind
 * promises by itself no checker knows; what the worker, the queue and the provider promise is watched as for every other.
 *
 * @throws RangeError when the kind is not registered, or the payload is not its own
 */
export function ownKindStory({ kind, payload, item }: OwnKind): Story {
  const definition = definitionOf(kind);
  checkPayload(definition, payload);
  return {
    name: `own-kind ${kind}`,
    stormMs: 30 * MINUTE_MS,
    begin(simulation) {
      const { world } = simulation;
      if (item !== undefined) putItem(simulation, definition, payload, item);
      const copies = world.chance.whole(1, 3);
      for (let copy = 0; copy < copies; copy++) {
        const afterMs = copy === 0 ? 0 : world.chance.pick([0, world.chance.between(0, 20_000), world.chance.between(0, 20 * MINUTE_MS)]);
        world.after(afterMs, () => send(simulation, definition, payload, copy));
      }
    },
    settle: (simulation, pass) => settleLetters(simulation, pass, { mostRounds: 3, replaying: () => true }),
  };
}

/** @throws RangeError naming the kinds there are */
export function definitionOf(kind: string): AnyJobDefinition {
  const definition = jobs.find((one) => one.kind === kind);
  if (definition === undefined) throw new RangeError(`no job kind is called ${kind}; there are ${jobs.map((one) => one.kind).join(', ')}`);
  return definition;
}

function checkPayload(definition: AnyJobDefinition, payload: unknown): void {
  const checked = definition.payload.safeParse(payload);
  if (checked.success) return;
  const problems = checked.error.issues.map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`);
  throw new RangeError(`this is no payload of ${definition.kind} (${problems.join('; ')})`);
}

function send({ services, jobQueues, world }: Simulation, definition: AnyJobDefinition, payload: unknown, copy: number): void {
  const queueName = jobQueues.find((queue) => queue.definition === definition)?.queueName ?? definition.kind;
  const message = outboxMessage(job(definition, payload), world.nowMs);
  const ids = fifoIds(message, () => definition, `copy ${copy}`);
  const fifo = ids === undefined ? {} : { MessageGroupId: ids.group, MessageDeduplicationId: ids.deduplicationId };
  const input = { QueueUrl: urlOf(queueName), MessageBody: queueText(message), ...fifo };
  services.apply({ service: 'sqs', operation: 'SendMessage', input }, 0, 'dispatch-outbox#0');
}

function putItem({ services }: Simulation, definition: AnyJobDefinition, payload: unknown, item: Readonly<Record<string, unknown>>): void {
  const key = definition.item?.(definition.payload.parse(payload));
  if (key === undefined) throw new RangeError(`${definition.kind} has items of its own; leave --item out`);
  const Item = toAttributeValues({ version: 1, fence: 0, lease: 'free', ...item, ...key });
  services.apply({ service: 'dynamodb', operation: 'PutItem', input: { TableName: TABLES.state, Item } }, 0, 'somebody');
}
