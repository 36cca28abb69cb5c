import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import type { executeJobEnvironment } from '#shared/contract/environment.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { type System, system } from '#shared/runtime/system.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { wire } from '../../../functions/execute-job/wire.ts';
import { plainTable, stateTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';

// B81
const URL_OF_QUEUE = 'https://sqs.us-east-1.amazonaws.com/000000000000/';
const ENVIRONMENT: Record<keyof typeof executeJobEnvironment.shape, string> = {
  JOB_KIND: 'capture-payment',
  STATE_TABLE: 'State',
  CONTROL_TABLE: 'Control',
  MAIL_TABLE: 'Mail',
  EXPORT_BUCKET: 'exports',
  QUEUE_URL: `${URL_OF_QUEUE}jobs`,
  DEAD_LETTER_QUEUE_URL: `${URL_OF_QUEUE}letters`,
  PAYMENT_PROVIDER_URL: 'https://provider.test',
  PAYMENT_PROVIDER_AUTHORIZATION: 'none',
  RATE_LIMITS: '{"payment-provider":1000}',
  TIME_SCALE: '1',
  PROVIDER_KEY_HORIZON_SECONDS: '86400',
  UNRESOLVED_AFTER_SECONDS: '172800',
};

const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => void lines.push(parts.map(String).join(' ')));
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text: unknown) => {
      lines.push(...String(text).trim().split('\n'));
      return true;
    });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** One process of the real function: its wiring, logger and metrics, over tables and queues in memory. */
async function warmProcess(provider: (orderId: string) => Promise<Response>) {
  const aws = createFakeAws({ now: Date.now });
  aws.dynamodb.createTable(stateTable('State'));
  aws.dynamodb.createTable(plainTable('Control', ['id']));
  for (const QueueName of ['jobs', 'letters']) aws.sqs.createQueue({ QueueName });
  const { region, credentials, signer } = aws.clientConfig;
  const sdk = { createRequestHandler: () => aws.requestHandler, config: { region, credentials, signer } } as System['sdk'];
  const fetch = (async (request: Request) => {
    const { reference } = (await request.json()) as { reference: string };
    return provider(reference.split('/')[1] ?? '');
  }) as typeof globalThis.fetch;
  const handler = wire({ ...system, environment: ENVIRONMENT, sdk, fetch, createLogger, createMetrics });
  const store = createItemStore(createDynamoDbClient({ sdk }), 'State');
  let count = 0;
  return {
    async order(orderId: string): Promise<string> {
      const { version: _, ...order } = newOrder('u-1', orderId, { amountMinor: 4_999, currency: 'EUR' }, Date.now());
      const message = outboxMessage(job(capturePayment, { userId: 'u-1', orderId, attempt: 1 }), Date.now(), `trace-of-${orderId}`);
      await store.write(acceptWrite(orderItemKey('u-1', orderId), order, [message], Date.now()));
      return JSON.stringify(message);
    },
    async invoke(...bodies: string[]): Promise<readonly Record<string, unknown>[]> {
      lines.length = 0;
      const Records = bodies.map((body) => {
        const url = `${URL_OF_QUEUE}jobs`;
        aws.sqs.handle('SendMessage', { QueueUrl: url, MessageBody: body });
        const answer = aws.sqs.handle('ReceiveMessage', { QueueUrl: url }) as { output: { Messages: { ReceiptHandle: string }[] } };
        const attributes = { ApproximateReceiveCount: '1', ApproximateFirstReceiveTimestamp: String(Date.now()) };
        return {
          messageId: `m-${++count}`,
          receiptHandle: answer.output.Messages[0]?.ReceiptHandle,
          body,
          attributes,
        } as unknown as SQSRecord;
      });
      await handler({ Records } as SQSEvent, { getRemainingTimeInMillis: () => 25_000 });
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

const captured = (orderId: string): Response =>
  Response.json({ status: 'captured', captureId: `cap-${orderId}`, amountMinor: 4_999, currency: 'EUR' }, { status: 200 });
const after = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
/** The last comes first, and the one in the middle breaks while the others are under way. */
const DELAYS_MS: Readonly<Record<string, number>> = { 'ord-1': 40, 'ord-2': 20, 'ord-3': 5 };
const provider = async (orderId: string): Promise<Response> => {
  await after(DELAYS_MS[orderId] ?? 0);
  if (orderId === 'ord-2') throw new TypeError('something broke while ord-2 was charged');
  return captured(orderId);
};

describe('lines of one warm process', () => {
  test('name each record by its own ids, though the batch ran side by side and one of it broke', async () => {
    const process = await warmProcess(provider);
    const written = await process.invoke(await process.order('ord-1'), await process.order('ord-2'), await process.order('ord-3'));
    const jobs = written.flatMap((line) => (line['jobs'] ?? []) as Record<string, unknown>[]);
    expect(jobs.map(({ key, trace, outcome }) => ({ key, trace, outcome }))).toEqual([
      { key: 'capture:u-1/ord-1:1', trace: 'trace-of-ord-1', outcome: 'committed' },
      { key: 'capture:u-1/ord-2:1', trace: 'trace-of-ord-2', outcome: 'unknown' },
      { key: 'capture:u-1/ord-3:1', trace: 'trace-of-ord-3', outcome: 'committed' },
    ]);
    expect(new Set(jobs.map(({ owner }) => owner)).size).toBe(3);
    for (const line of written.filter(({ message }) => message !== 'batch')) expect(JSON.stringify(line)).not.toContain('ord-');
    expect(JSON.stringify(written)).not.toContain('something broke');
  });

  test('carry nothing from the invocation before, whatever the first record of the next one is', async () => {
    const process = await warmProcess(provider);
    const before = await process.invoke(await process.order('ord-1'), await process.order('ord-2'), await process.order('ord-3'));
    const owners = before.flatMap((line) => ((line['jobs'] ?? []) as { owner: string }[]).map(({ owner }) => owner));
    const written = await process.invoke('{ no json', await process.order('ord-4'));
    const text = JSON.stringify(written);
    for (const stranger of ['ord-1', 'ord-2', 'ord-3', ...owners]) expect(text).not.toContain(stranger);
    const [malformed, good] = written.flatMap((line) => (line['jobs'] ?? []) as Record<string, unknown>[]);
    expect(malformed).toEqual({ outcome: 'dead-lettered', code: 'malformed', durationMs: expect.any(Number) });
    expect(good).toMatchObject({ outcome: 'committed', key: 'capture:u-1/ord-4:1', trace: 'trace-of-ord-4' });
  });

  test('measure their own batch alone', async () => {
    const process = await warmProcess(provider);
    const [first, failures] = await process.invoke(
      await process.order('ord-1'),
      await process.order('ord-2'),
      await process.order('ord-3'),
    );
    expect(first).toMatchObject({
      message: 'batch',
      kind: 'capture-payment',
      JobsDone: 2,
      JobsFailed: 1,
      UnknownOutcomes: 1,
      DependencyCalls: 3,
    });
    expect(first?.['RunTime']).toHaveLength(3);
    expect(failures).toMatchObject({ kind: 'capture-payment', errorClass: 'connection', Retries: 1 });
    const [second, letters, ...rest] = await process.invoke('{ no json', await process.order('ord-4'));
    expect(second).toMatchObject({ JobsDone: 1, LettersBuried: 1, DependencyCalls: 1, RunTime: expect.any(Number) });
    expect(Object.keys(second ?? {})).not.toEqual(expect.arrayContaining(['JobsFailed']));
    expect(letters).toMatchObject({ kind: 'capture-payment', errorClass: 'malformed', DeadLetters: 1 });
    expect(letters).not.toHaveProperty('Retries');
    expect(rest).toEqual([]);
  });
});
