import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { readQueueUrls, retryOutboxEnvironment } from '#shared/contract/environment.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { dispatch } from '#shared/outbox/dispatch.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { createHandler } from './handler.ts';

const queueUrls = readQueueUrls(readEnvironment(retryOutboxEnvironment).QUEUE_URLS);
const sender = createQueueSender(createSqsClient());

export const handler = createHandler({
  dispatch: (outgoing) => dispatch(outgoing, queueUrls, sender, systemClock.sleep, (message) => fifoIds(message, jobOfKind)),
  log: createLogger('retry-outbox'),
});
