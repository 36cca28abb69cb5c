import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { readQueueUrls, retryOutboxEnvironment } from '#shared/contract/environment.ts';
import { METRICS } from '#shared/contract/metric-names.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { dispatch } from '#shared/outbox/dispatch.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { createHandler } from './handler.ts';

export function wire(system: System) {
  const { clock, sdk } = system;
  const queueUrls = readQueueUrls(readEnvironment(retryOutboxEnvironment, system.environment).QUEUE_URLS);
  const measure = system.createMetrics('retry-outbox');
  const sender = createQueueSender(createSqsClient({ sdk }));

  return createHandler({
    dispatch: (outgoing) => dispatch(outgoing, queueUrls, sender, clock.sleep, (message) => fifoIds(message, jobOfKind)),
    measure: (parked) => measure({ dimensions: {}, values: { [METRICS.outboxParked]: parked } }),
    log: system.createLogger('retry-outbox'),
  });
}
