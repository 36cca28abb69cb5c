import { urlOf } from '../../../support/fake-aws/sqs/queue.ts';
import type { Simulation } from '../../simulation.ts';

/** Somebody purges a queue: its messages are gone, those in flight too. Within a minute of another purge SQS refuses. */
export function purgeQueue({ sqs, signals, world }: Simulation, queueName: string): void {
  const bodies = sqs.messages(queueName).map(({ body }) => body);
  const answer = sqs.handle('PurgeQueue', { QueueUrl: urlOf(queueName) });
  if ('error' in answer) return;
  world.log(`${queueName} is purged of ${bodies.length}`);
  signals.disturbed('purge');
  signals.messagesLost(queueName, bodies, 'purge');
}
