import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createDeadLetterQueue } from '#shared/aws/sqs-queue.ts';
import { writeLetter } from '#shared/dead-letter/letter.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';

function createBench() {
  const aws = createFakeAws({ now: () => 1_000 });
  const queueUrl = aws.sqs.createQueue({ QueueName: 'letters.fifo', Attributes: { FifoQueue: 'true' } });
  const client = new SQSClient({ ...aws.clientConfig, maxAttempts: 1 } as SQSClientConfig);
  const letters = createDeadLetterQueue(async () => client, queueUrl);
  const letter = (firstSeenAtMs: number, lastSeenAtMs: number) =>
    writeLetter({ kind: 'k', reason: 'x', attempts: 1, firstSeenAtMs, lastSeenAtMs });
  return { aws, letters, letter, groups: () => aws.sqs.messages('letters.fifo').map(({ system }) => system['MessageGroupId']) };
}

test('a letter of a FIFO message keeps its group, even when nobody can read its body', async () => {
  const { letters, letter, groups } = createBench();
  await letters.send('{not json', letter(1, 2), { group: 'bolt' });
  expect(groups()).toEqual(['bolt']);
});

test('a letter sent again after a crash is one letter', async () => {
  const { letters, letter, groups } = createBench();
  await letters.send('{}', letter(1, 2), { group: 'bolt' });
  await letters.send('{}', letter(1, 3), { group: 'bolt' });
  expect(groups()).toHaveLength(1);
});

// Swallowed as a repetition, the only copy of the job would be gone.
test('a job that was replayed and ends again within minutes has a second letter', async () => {
  const { letters, letter, groups } = createBench();
  await letters.send('{}', letter(1, 2), { group: 'bolt' });
  await letters.send('{}', letter(500, 600), { group: 'bolt' });
  expect(groups()).toHaveLength(2);
});

test('a later end of the same message has a second letter, however soon; the same end has one', async () => {
  const { letters, letter, groups } = createBench();
  await letters.send('{}', letter(1, 2), { group: 'bolt', ending: 'owner-1' });
  await letters.send('{}', letter(1, 3), { group: 'bolt', ending: 'owner-1' });
  await letters.send('{}', letter(1, 4), { group: 'bolt', ending: 'owner-2' });
  expect(groups()).toHaveLength(2);
});
