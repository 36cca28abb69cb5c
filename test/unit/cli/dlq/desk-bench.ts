import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { createLetterQueue } from '#shared/aws/letter-queue.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { queueFacts } from '../../../../cli/aws/queues.ts';
import type { LetterDesk } from '../../../../cli/dead-letters/letter-desk.ts';
import { captureBody } from '../../../support/fake-account.ts';
import { createFakeAws } from '../../../support/fake-aws/request-handler.ts';

/** One dead-letter queue in memory, on a clock that moves when it is told to. */
export function openDesk({ fifo = false } = {}) {
  let nowMs = Date.UTC(2026, 10, 30);
  const aws = createFakeAws({ now: () => nowMs });
  const client = new SQSClient({ ...aws.clientConfig, maxAttempts: 1 } as SQSClientConfig);
  const name = fifo ? 'letters.fifo' : 'letters';
  const Attributes = { MessageRetentionPeriod: '1209600', ...(fifo ? { FifoQueue: 'true' } : {}) };
  const url = aws.sqs.createQueue({ QueueName: name, Attributes });
  const desk: LetterDesk = {
    name: 'capture-payment',
    source: { deadLetterQueueName: name, queueUrl: `${url}-source`, fifo, definition: fifo ? adjustStock : capturePayment },
    letters: createLetterQueue(client, url),
    facts: () => queueFacts(client, url),
  };
  return {
    aws,
    desk,
    nowMs: () => nowMs,
    later(durationMs: number) {
      nowMs += durationMs;
    },
    put(count: number, group = 'g') {
      for (let index = 0; index < count; index++) {
        nowMs += 1;
        const ids = fifo ? { MessageGroupId: group, MessageDeduplicationId: `${group}-${nowMs}` } : {};
        const answer = aws.sqs.handle('SendMessage', { QueueUrl: url, MessageBody: captureBody('u-1', `o-${nowMs}`), ...ids });
        if ('error' in answer) throw new Error(answer.error.message);
      }
    },
    all: () => aws.sqs.messages(name),
    /** Letters that anybody gets who asks now. */
    visible: () => aws.sqs.messages(name).filter(({ visibleAtMs }) => visibleAtMs <= nowMs).length,
  };
}
