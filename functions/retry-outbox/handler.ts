import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { messageSchema } from '#shared/contract/message.ts';
import type { DispatchResult, OutgoingMessage } from '#shared/outbox/dispatch.ts';

export interface RetryOutboxWorld {
  dispatch(outgoing: readonly OutgoingMessage[]): Promise<DispatchResult>;
  /** Members of the log line that count what is still parked. */
  measure(parked: number): Record<string, unknown>;
  readonly log: { info(message: string, fields: Record<string, unknown>): void };
}

const parkedSchema = z.object({ message: messageSchema });

/** Sends again what the dispatcher had to park; what still cannot go comes back by its visibility timeout, and after a day goes to the dead-letter queue. */
export const createHandler =
  ({ dispatch, measure, log }: RetryOutboxWorld) =>
  async ({ Records: records }: SQSEvent): Promise<SQSBatchResponse> => {
    const outgoing = records.flatMap(({ body }, recordIndex): OutgoingMessage[] => {
      const message = readParked(body);
      return message === undefined ? [] : [{ message, recordIndex }];
    });
    const { sent } = await dispatch(outgoing);
    const done = new Set(sent.map(({ recordIndex }) => recordIndex));
    const waiting = records.filter((_, index) => !done.has(index));
    const keys = sent.map(({ message }) => message.idempotencyKey);
    log.info('outbox retried', { keys, waiting: waiting.length, ...measure(waiting.length) });
    return { batchItemFailures: waiting.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };

function readParked(body: string): z.infer<typeof messageSchema> | undefined {
  try {
    return parkedSchema.safeParse(JSON.parse(body)).data?.message;
  } catch {
    return undefined;
  }
}
