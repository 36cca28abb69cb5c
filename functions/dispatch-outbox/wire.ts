import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { readItemChange } from '#shared/aws/stream-record.ts';
import { dispatchOutboxEnvironment, readQueueUrls } from '#shared/contract/environment.ts';
import { METRICS } from '#shared/contract/metric-names.ts';
import { queueText } from '#shared/contract/queue-text.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { dispatch } from '#shared/outbox/dispatch.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { answerStreamBatch } from '#shared/runtime/stream-batch.ts';
import type { System } from '#shared/runtime/system.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { createHandler } from './handler.ts';

export function wire(system: System) {
  const { clock, sdk } = system;
  const environment = readEnvironment(dispatchOutboxEnvironment, system.environment);
  const queueUrls = readQueueUrls(environment.QUEUE_URLS);
  const measure = system.createMetrics('dispatch-outbox');
  const sender = createQueueSender(createSqsClient({ sdk }));

  return createHandler({
    readItemChange,
    dispatch: (outgoing) => dispatch(outgoing, queueUrls, sender, clock.sleep, (message) => fifoIds(message, jobOfKind)),
    park: async (entries) => {
      const { failed } = await sender.send(
        environment.OUTBOX_FAILED_QUEUE_URL,
        entries.map(({ body }, index) => ({ id: String(index), body: queueText(body) })),
      );
      return failed.map(({ id }) => Number(id));
    },
    answerStreamBatch: (failures) => answerStreamBatch(failures, environment.STREAM_FAILURE_MODE),
    measure: (parked) => measure({ dimensions: {}, values: { [METRICS.outboxParked]: parked } }),
    log: system.createLogger('dispatch-outbox'),
  });
}
