import { orderItemKey } from '#shared/contract/item-keys.ts';
import { MAX_JSON_DEPTH, MAX_MESSAGE_BYTES } from '#shared/contract/limits.ts';
import { md5 } from '../../../support/fake-aws/sqs/md5.ts';
import { urlOf } from '../../../support/fake-aws/sqs/queue.ts';
import type { Simulation } from '../../simulation.ts';
import type { JobQueueDefinition } from '../functions.ts';
import { TABLES } from '../names.ts';

/** Who sent it, as far as anybody can tell. */
const SOMEBODY = 'somebody';

/** Puts a body that no code of ours wrote into a kind's queue. */
export function injectPoison({ services, jobQueues, world }: Simulation, kind: string, body: string): void {
  const target = jobQueues.find(({ definition }) => definition.kind === kind);
  if (target === undefined) throw new Error(`no queue is simulated for ${kind}`);
  const fifo = target.queueName.endsWith('.fifo')
    ? { MessageGroupId: 'poison', MessageDeduplicationId: `${world.events}-${md5(body)}` }
    : {};
  const input = { QueueUrl: urlOf(target.queueName), MessageBody: body, ...fifo };
  services.apply({ service: 'sqs', operation: 'SendMessage', input }, 0, SOMEBODY);
  world.log(`poison for ${target.queueName}`);
}

/** Every way a body can be wrong, by name. None of them can ever become a job that runs. */
export function poisonBodies({ definition: { kind, version } }: JobQueueDefinition): Readonly<Record<string, string>> {
  const message = (fields: object): string =>
    JSON.stringify({ kind, version, idempotencyKey: 'poison:1', payload: {}, enqueuedAt: '2026-11-30T10:00:00.000Z', ...fields });
  const order = { userId: 'u-1', orderId: 'nobodys-order', attempt: 1 };
  return {
    'no-json': '\u00f6{"kind":',
    empty: ' ',
    'no-object': '[1,2,3]',
    huge: message({ payload: { text: 'x'.repeat(MAX_MESSAGE_BYTES) } }),
    deep: `${'['.repeat(MAX_JSON_DEPTH * 50)}${']'.repeat(MAX_JSON_DEPTH * 50)}`,
    proto: message({}).replace('"payload":{}', '"payload":{"__proto__":{"attempt":1}}'),
    'huge-number': message({ payload: order }).replace('"attempt":1', '"attempt":1e400'),
    'lone-surrogate': message({ payload: { ...order, userId: '\ud800' } }),
    'other-kind': message({ kind: 'no-such-kind' }),
    'wrong-payload': message({ payload: { orderId: 7 } }),
    'wrong-key': message({ payload: order, idempotencyKey: 'capture:u-1/another-order:1' }),
    'unknown-order': message({ payload: order, idempotencyKey: `${kind.split('-')[0]}:u-1/nobodys-order:1` }),
    'version-zero': message({ version: 0 }),
    'text-version': message({ version: '1' }),
  };
}

/** Puts an item into the State table whose images none of the stream's readers can make sense of. */
export function injectPoisonItem({ services, world }: Simulation): void {
  const { pk, sk } = orderItemKey('u-poison', `poison-${world.events}`);
  const Item = {
    pk: { S: pk },
    sk: { S: sk },
    lease: { S: 'free' },
    version: { S: 'one' },
    outbox: { L: [{ M: { kind: { N: '7' } } }, { NULL: true }] },
    outboxAtMs: { S: 'soon' },
  };
  world.log('poison for the stream');
  services.apply({ service: 'dynamodb', operation: 'PutItem', input: { TableName: TABLES.state, Item } }, 0, SOMEBODY);
}
