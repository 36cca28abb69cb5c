import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { LETTER_ATTRIBUTE, REPLAY_ATTRIBUTE, REPLAYS_ATTRIBUTE, replaysIn } from '#shared/dead-letter/letter.ts';
import { executeBatch } from '#shared/worker/execute-batch.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import type { Delivery, Ending, Worker } from '#shared/worker/worker.ts';
import type { CallTally } from './count-calls.ts';
import { type BatchMeasured, measureBatch } from './measure-batch.ts';

export interface ExecuteJobWorld {
  readonly worker: Worker;
  handBack(messages: readonly { messageId: string; receiptHandle: string; delaySeconds: number }[]): Promise<string[]>;
  /** Calls of the dependency since the last batch; left out where nothing is called. */
  takeCalls?(): CallTally;
  /** One line a batch: what became of each job, and what that comes to. */
  log(batch: { jobs: readonly Record<string, unknown>[]; notHidden: readonly string[] }, measured: BatchMeasured): void;
}

const NO_CALLS: CallTally = { calls: 0, timeouts: 0 };

/** Runs a batch of messages and names those that must come back. */
export const createHandler =
  ({ worker, handBack, log, takeCalls = () => NO_CALLS }: ExecuteJobWorld) =>
  async (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<SQSBatchResponse> => {
    const execute = async (delivery: Delivery): Promise<Ending> => {
      const startedAtMs = worker.clock.nowMs();
      const ending = await executeJob(delivery, worker, context.getRemainingTimeInMillis());
      return { ...ending, facts: { ...ending.facts, durationMs: worker.clock.nowMs() - startedAtMs } };
    };
    const ended = await executeBatch(
      event.Records.map((record) => toDelivery(record, worker)),
      execute,
      worker.random.fraction,
    );
    const returning = ended.flatMap(({ delivery, ending }) =>
      ending.action === 'hand-back' ? [{ ...delivery, delaySeconds: Math.ceil(ending.delayMs / 1000) }] : [],
    );
    // Visibility first, then the failure: reported the other way round, the message would be back before its delay is set.
    const notHidden = await handBack(returning);
    const jobs = ended.map(({ ending }) => ({ outcome: ending.outcome, ...ending.facts }));
    log({ jobs, notHidden }, measureBatch(ended, worker, takeCalls()));
    return { batchItemFailures: returning.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };

function replayed(attributes: SQSRecord['messageAttributes'] = {}): Pick<Delivery, 'replayOf' | 'replays'> {
  const fence = attributes[REPLAY_ATTRIBUTE]?.stringValue;
  const replays = replaysIn(attributes[REPLAYS_ATTRIBUTE]?.stringValue);
  return { ...(fence === undefined ? {} : { replayOf: Number(fence) }), ...(replays === 0 ? {} : { replays }) };
}

const toDelivery = ({ messageId, receiptHandle, body, attributes, messageAttributes }: SQSRecord, { definition }: Worker): Delivery => ({
  messageId,
  receiptHandle,
  body,
  receiveCount: Number(attributes.ApproximateReceiveCount),
  carriesLetter: messageAttributes?.[LETTER_ATTRIBUTE] !== undefined,
  ...replayed(messageAttributes),
  firstReceivedAtMs: Number(attributes.ApproximateFirstReceiveTimestamp),
  // A group SQS does not name is one group: slow, and in order.
  ...(definition.queue.fifoGroup === undefined ? {} : { fifoGroup: attributes.MessageGroupId ?? 'no-group' }),
});
