import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { jobs } from '#shared/jobs/index.ts';
import type { System } from '#shared/runtime/system.ts';
import { createGenerations } from '../../simulation/cloud/generations.ts';
import { createProcess } from '../../simulation/kernel/process.ts';
import { createFakeSqs } from '../../support/fake-aws/fake-sqs.ts';
import { type Call, createHttpHandler } from '../../support/fake-aws/wire.ts';

const LIMITS = { connectionTimeout: 1_000, requestTimeout: 1_000 };
const WORKER = 'execute-job/capture-payment';
const message = (version: number, kind = 'capture-payment') => ({
  kind,
  version,
  idempotencyKey: 'capture:u/o:1',
  payload: { attempt: 1 },
});
const text = (version: number, kind?: string): string => JSON.stringify(message(version, kind));

/** A process of the generation, and what it sends. */
function start(functionName: string, generation: number) {
  const sent: Call[] = [];
  const sqs = createFakeSqs({ now: () => 0 });
  const QueueUrl = sqs.createQueue({ QueueName: 'q' });
  const createRequestHandler = () =>
    createHttpHandler(async (call) => {
      sent.push(call);
      return call.service === 'sqs' ? sqs.handle(call.operation, call.input) : { output: {} };
    });
  const generations = createGenerations([functionName], jobs);
  for (let raised = 0; raised < generation; raised++) generations.raise(functionName);
  const process = createProcess('p');
  const { sdk } = generations.adaptSystem({ sdk: { createRequestHandler } } as unknown as System, functionName, process);
  const config = { region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, maxAttempts: 1 };
  const requestHandler = sdk.createRequestHandler?.(LIMITS) ?? createRequestHandler();
  const reads = (body: string): string => {
    const { Records } = generations.adaptEvent({ Records: [{ body }] }, functionName, process) as { Records: [{ body: string }] };
    return Records[0].body;
  };
  const send = (body: string) =>
    new SQSClient({ ...config, requestHandler }).send(new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: 'x', MessageBody: body }] }));
  const write = (outboxVersion: number, stored: string) =>
    new DynamoDBClient({ ...config, requestHandler }).send(
      new UpdateItemCommand({
        TableName: 'T',
        Key: { pk: { S: 'x' } },
        UpdateExpression: 'SET a = :a, b = :b',
        ExpressionAttributeValues: {
          ':a': {
            L: [
              {
                M: {
                  kind: { S: 'capture-payment' },
                  version: { N: String(outboxVersion) },
                  idempotencyKey: { S: 'capture:u/o:1' },
                },
              },
            ],
          },
          ':b': { S: stored },
        },
      }),
    );
  const values = () => sent.at(-1)?.input.ExpressionAttributeValues;
  return { reads, send, write, sent, outboxVersion: () => values()[':a'].L[0].M.version.N, stored: () => values()[':b'].S };
}

describe('code of the first generation', () => {
  it('reads and writes what it always did', async () => {
    const { reads, write, outboxVersion, stored } = start(WORKER, 0);
    expect(reads(text(2))).toBe(text(2));
    await write(1, text(1));
    expect([outboxVersion(), stored()]).toEqual(['1', text(1)]);
  });
});

describe('code of the next generation', () => {
  it('reads its own version and the one before, and none that is later still', () => {
    const { reads } = start(WORKER, 1);
    expect([text(1), text(2), text(3), 'no json'].map(reads)).toEqual([text(1), text(1), text(3), 'no json']);
  });

  it('writes its own version into every outbox, and into the messages it makes', async () => {
    const { write, outboxVersion, stored } = start('accept-order', 1);
    await write(1, text(1));
    expect([outboxVersion(), stored()]).toEqual(['2', text(2)]);
  });

  it('keeps a message that it only passes on byte for byte', async () => {
    const { reads, write, stored, send, sent } = start(WORKER, 1);
    for (const version of [1, 2]) {
      const body = `${text(version).slice(0, -1)} }`;
      const read = reads(body);
      await write(1, read);
      expect(stored()).toBe(body);
      // The SDK compares the digest of what it believes it has sent: no error, no failed entry.
      expect((await send(read)).Failed ?? []).toEqual([]);
      expect(sent.at(-1)?.input.Entries[0].MessageBody).toBe(body);
    }
  });

  it.each([
    ['dispatch-outbox', 'capture-payment', 1],
    ['rescue-jobs', 'capture-payment', 2],
    ['rescue-jobs', 'send-receipt', 1],
  ])('as %s sends a message of %s as version %i', async (functionName, kind, version) => {
    const { send, sent } = start(functionName, 1);
    expect((await send(text(1, kind))).Successful).toHaveLength(1);
    expect(JSON.parse(sent.at(-1)?.input.Entries[0].MessageBody)).toMatchObject({ kind, version });
  });
});
