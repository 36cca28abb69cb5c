import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { tellableTrace } from '#shared/contract/message.ts';
import { collectOutbox, type ParkedEntry, parkedMessage } from '#shared/outbox/collect.ts';
import type { DispatchResult, OutgoingMessage } from '#shared/outbox/dispatch.ts';
import type { ItemChange } from '#shared/outbox/read-outbox.ts';

export interface DispatchOutboxWorld<Answer> {
  readItemChange(record: DynamoDBRecord): ItemChange;
  dispatch(outgoing: readonly OutgoingMessage[]): Promise<DispatchResult>;
  /** @returns indexes of the entries the outbox-failed queue did not take */
  park(entries: readonly ParkedEntry[]): Promise<readonly number[]>;
  answerStreamBatch(failures: readonly { sequenceNumber: string | undefined }[]): Answer;
  /** Members of the log line that count what had to be parked. */
  measure(parked: number): Record<string, unknown>;
  readonly log: {
    info(message: string, fields: Record<string, unknown>): void;
    error(message: string, fields: Record<string, unknown>): void;
  };
}

/** Stream → queues. A record leaves the stream only when its messages are in their queues, or parked where a retry finds them. */
export const createHandler =
  <Answer>(world: DispatchOutboxWorld<Answer>) =>
  async ({ Records: records }: DynamoDBStreamEvent): Promise<Answer> => {
    const { outgoing, unreadable } = collectOutbox(records, world.readItemChange);
    const { sent, refused, unsent, codes } = await world.dispatch(outgoing);
    const parking = [...unreadable, ...refused.map(parkedMessage)];
    const notParked = (await world.park(parking)).flatMap((index) => parking[index] ?? []);

    const fields = {
      records: records.length,
      keys: sent.map(({ message }) => message.idempotencyKey),
      traces: [...new Set(sent.flatMap(({ message }) => tellableTrace(message).trace ?? []))],
      parked: parking.length - notParked.length,
      left: unsent.length + notParked.length,
      ...world.measure(parking.length),
    };
    if (parking.length + unsent.length === 0) world.log.info('dispatched', fields);
    else world.log.error('dispatched in part', { ...fields, problems: parking.map(({ problem }) => problem), codes });

    return world.answerStreamBatch(
      [...unsent, ...notParked].map(({ recordIndex }) => ({ sequenceNumber: records[recordIndex]?.dynamodb?.SequenceNumber })),
    );
  };
