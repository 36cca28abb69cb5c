import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { describe, expect, test, vi } from 'vitest';
import { createDeadLetterQueue, handBack } from '#shared/aws/sqs-queue.ts';
import type { PaymentPort } from '#shared/payments/payment-port.ts';
import { createSandboxClient } from '#shared/payments/sandbox-client.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { openGate } from '#shared/worker/gate.ts';
import type { Ports } from '#shared/worker/ports.ts';
import type { Worker } from '#shared/worker/worker.ts';
import { createHandler } from '../../../functions/execute-job/handler.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';

const CARD = '4000000000000002';
const EMAIL = 'person@example.test';
const NOTE = 'Hinterhof, Klingel bei Mustermann';
const CANARIES = new RegExp([CARD, EMAIL, NOTE.slice(0, 9), 'Mustermann'].join('|'));

/** Everything a function prints, whichever way. */
function captureOutput(): { readonly lines: string[]; restore(): void } {
  const lines: string[] = [];
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => void lines.push(parts.map(String).join(' '))),
  );
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text: unknown) => {
      lines.push(String(text));
      return true;
    }),
  );
  return { lines, restore: () => [...spies, ...streams].forEach((spy) => spy.mockRestore()) };
}

/** The handler with the real logger and the real queues; a provider that answers as told. */
async function runBodies(bodies: readonly string[], provider: Partial<Worker> = {}) {
  const bench = createWorkerBench();
  const deadLetterUrl = bench.aws.sqs.createQueue({ QueueName: 'dead-letters' });
  const queueUrl = bench.aws.sqs.createQueue({ QueueName: 'jobs' });
  const client = new SQSClient({ ...bench.aws.clientConfig, maxAttempts: 1 } as SQSClientConfig);
  const good = await bench.createOrder('ord-1');
  const output = captureOutput();
  const logger = createLogger('execute-job');
  const handler = createHandler({
    worker: { ...bench.worker(), deadLetters: createDeadLetterQueue(async () => client, deadLetterUrl), ...provider },
    handBack: (messages) => handBack(async () => client, queueUrl, messages),
    log: (batch) => logger.info('batch', { kind: 'capture-payment', ...batch }),
  });
  const Records = [good, ...bodies].map((body, index) => ({
    messageId: `m-${index}`,
    receiptHandle: 'r',
    body,
    attributes: { ApproximateReceiveCount: '1', ApproximateFirstReceiveTimestamp: '0' },
  }));
  let thrown: unknown;
  try {
    await handler({ Records } as unknown as SQSEvent, { getRemainingTimeInMillis: () => 25_000 });
  } catch (error) {
    thrown = error;
  } finally {
    output.restore();
  }
  const written = {
    output: output.lines.join('\n'),
    letters: JSON.stringify(bench.aws.sqs.messages('dead-letters').map(({ attributes }) => attributes)),
    items: JSON.stringify(bench.aws.dynamodb.items('State')),
    requests: JSON.stringify(
      bench.aws.calls.filter(({ operation }) => operation !== 'SendMessage' && operation !== 'PutItem').map(({ input }) => input),
    ),
    thrown: thrown instanceof Error ? `${thrown.stack}` : String(thrown),
  };
  return { bench, written };
}

const expectClean = (written: Record<string, string>): void => {
  for (const [where, text] of Object.entries(written)) expect(text, where).not.toMatch(CANARIES);
  expect(written['output']).toContain('"batch"');
};

const fields = {
  kind: 'capture-payment',
  version: 1,
  idempotencyKey: 'capture:u-1/ord-2:1',
  payload: { userId: 'u-1', orderId: 'ord-2', attempt: 1 },
  enqueuedAt: '2026-11-30T10:00:00.000Z',
};
const json = JSON.stringify;

// B83
describe('what a body holds that is nobody’s business', () => {
  test.each<[string, string[]]>([
    ['as extra fields', [json({ ...fields, cardNumber: CARD, email: EMAIL, note: NOTE })]],
    ['as extra fields of the payload', [json({ ...fields, payload: { ...fields.payload, cardNumber: CARD, email: EMAIL, note: NOTE } })]],
    [
      'as names of fields',
      [
        json({ ...fields, [CARD]: 1, [EMAIL]: 2, [NOTE]: 3 }),
        json({ ...fields, payload: { ...fields.payload, [CARD]: 1, [`${EMAIL}${'x'.repeat(60)}`]: 2 } }),
      ],
    ],
    ['in the place of an id', [json({ ...fields, payload: { userId: EMAIL, orderId: NOTE, attempt: CARD } })]],
    [
      'in the place of key, kind, version and time',
      [
        json({ ...fields, idempotencyKey: NOTE }),
        json({ ...fields, kind: EMAIL }),
        json({ ...fields, version: CARD }),
        json({ ...fields, enqueuedAt: NOTE }),
      ],
    ],
    ['in a wrong key', [json({ ...fields, idempotencyKey: `capture:${EMAIL}` })]],
    ['cut in the middle of a number', [`{"cardNumber":"${CARD}","email":"${EMAIL}","amount":4000`]],
    ['as the whole body', [CARD, json(EMAIL), json([NOTE])]],
    [
      'nested too deeply or too large',
      [`${'{"a":'.repeat(12)}"${CARD}"${'}'.repeat(12)}`, json({ ...fields, trace: `${EMAIL} ${'x'.repeat(20_000)}` })],
    ],
  ])('stands in no log line, letter, item or error when it comes %s; only the dead letter’s body keeps it', async (_how, bodies) => {
    const { bench, written } = await runBodies(bodies);
    expectClean(written);
    expect(bench.aws.sqs.messages('dead-letters').map(({ body }) => body)).toEqual(bodies);
    expect(bench.order('ord-1').status).toBe('paid');
  });
});

const noMail = { send: async () => undefined, wasSent: async () => false };
const through = (payments: PaymentPort): Partial<Worker> => ({ gate: openGate({ payments, mail: noMail } as unknown as Ports) });

describe('what a provider or a job says in its own words', () => {
  const answering = (status: number, body: string): Partial<Worker> => {
    const payments = createSandboxClient({
      baseUrl: 'http://127.0.0.1',
      fetch: async () => new Response(body, { status, headers: { 'content-type': 'application/json' } }),
    });
    return through(payments);
  };
  const echo = json({ error: `card ${CARD} of ${EMAIL} refused`, code: `${CARD}`, detail: NOTE });

  test.each([
    ['a 400 that echoes the request', answering(400, echo)],
    ['a 500 that echoes the request', answering(500, echo)],
    ['a 200 that is no answer', answering(200, echo)],
    ['a 200 that is no JSON', answering(200, `${CARD} ${EMAIL}`)],
    [
      'a failed connection with the request in its error',
      through(
        createSandboxClient({
          baseUrl: 'http://127.0.0.1',
          fetch: () => Promise.reject(Object.assign(new Error(`${CARD} ${EMAIL}`, { cause: { body: NOTE } }), { name: 'FetchError' })),
        }),
      ),
    ],
  ])('stands nowhere after %s', async (_what, provider) => expectClean((await runBodies([], provider)).written));

  test.each([
    ['an error with it in its text', Object.assign(new Error(`${CARD} ${EMAIL} ${NOTE}`), { name: EMAIL })],
    ['a text', `${CARD} ${EMAIL}`],
    ['an object', { cardNumber: CARD, toString: (): string => EMAIL }],
  ])('stands nowhere after a crash that throws %s', async (_what, thrown) => {
    const payments = {
      capture: () => Promise.reject(thrown),
      find: () => Promise.reject(thrown),
    } as unknown as PaymentPort;
    expectClean((await runBodies([], through(payments))).written);
  });

  test('stands nowhere when the letter or the table fails with it in the error', async () => {
    const { written } = await runBodies(['{'], {
      deadLetters: { send: () => Promise.reject(Object.assign(new Error(`${CARD} ${EMAIL}`), { name: EMAIL })) },
      store: {
        write: () => Promise.reject(new Error(NOTE)),
        writeTogether: () => Promise.reject(new Error(NOTE)),
        read: () => Promise.reject(new Error(NOTE)),
      },
    });
    expectClean(written);
  });
});
