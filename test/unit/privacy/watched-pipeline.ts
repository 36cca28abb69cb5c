import { Readable } from 'node:stream';
import { fromAttributeValues } from '#shared/aws/attribute-values.ts';
import { jobs } from '#shared/jobs/index.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import type { System } from '#shared/runtime/system.ts';
import { withoutWords } from '#shared/runtime/without-words.ts';
import { wire as paymentSandbox } from '../../../functions/payment-sandbox/wire.ts';
import { functionsOf, jobQueueOf } from '../../simulation/cloud/functions.ts';
import { deadLetterQueueOf, INVALIDATION_RETRY, OUTBOX_FAILED, TABLES, workerOfKind } from '../../simulation/cloud/names.ts';
import { plainTable, stateTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws, type FakeAws } from '../../support/fake-aws/request-handler.ts';
import { createObjectStore } from '../../support/object-store.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { captureOutput } from './captured-output.ts';

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers?: Record<string, unknown>;
  readonly body?: string;
}

/** Every function as its index.ts wires it on Lambda, with its real logger and metrics, over an account in memory. */
export interface WatchedPipeline {
  readonly aws: FakeAws;
  /** Answers for the provider in place of the sandbox. */
  provider: ((request: Request) => Promise<Response>) | undefined;
  /** Tables and queues fail with these words. */
  outage: string | undefined;
  readonly providerRequests: string[];
  invoke(functionName: string, event: unknown): Promise<HttpAnswer | undefined>;
  /** Carries the stream to its readers and the queues to theirs, until nothing moves. */
  settle(): Promise<void>;
  send(queueName: string, body: string, attributes?: Record<string, unknown>): void;
  /** Everything that other eyes than the customer's could read, by where it stands. */
  whatOthersRead(): Promise<Record<string, string>>;
  close(): void;
}

const SANDBOX = 'Sandbox';
const isFifo = (queueName: string): boolean => queueName.endsWith('.fifo');

export function createWatchedPipeline(): WatchedPipeline {
  const clock = createVirtualClock();
  const aws = createFakeAws({ now: clock.nowMs });
  for (const table of [stateTable(TABLES.state), plainTable(TABLES.control, ['id']), plainTable(TABLES.cache, ['key'])])
    aws.dynamodb.createTable(table);
  aws.dynamodb.createTable(plainTable(TABLES.mail, ['deliveryKey', 'deliveryId']));
  aws.dynamodb.createTable(plainTable(SANDBOX, ['pk', 'sk']));
  const queues = jobs.map(jobQueueOf);
  const workers = new Map<string, string>([
    ...queues.map(({ queueName, definition }) => [queueName, workerOfKind(definition.kind)] as const),
    [OUTBOX_FAILED, 'retry-outbox'],
    [INVALIDATION_RETRY, 'retry-invalidation'],
  ]);
  for (const name of workers.keys())
    for (const QueueName of [name, deadLetterQueueOf(name)])
      aws.sqs.createQueue({ QueueName, Attributes: isFifo(QueueName) ? { FifoQueue: 'true' } : {} });

  const output = captureOutput();
  const thrown: string[] = [];
  const refusals: string[] = [];
  const objects = createObjectStore();
  let tokens = 0;
  const systemOf = (environment: Readonly<Record<string, string>>): System => ({
    environment,
    clock,
    random: { fraction: () => 0.5, token: () => `token-${++tokens}` },
    sdk: { createRequestHandler: () => requestHandler(aws, objects, pipeline) as never, config: { ...aws.clientConfig } },
    fetch: ((input: Request) => askProvider(input)) as typeof fetch,
    createLogger,
    createMetrics,
  });
  const functions = functionsOf(queues);
  functions.set('payment-sandbox', {
    name: 'payment-sandbox',
    wire: paymentSandbox,
    timeoutMs: 15_000,
    environment: { SANDBOX_TABLE: SANDBOX, SLOW_ANSWER_MS: '1' },
  } as never);
  const warm = new Map<string, Handler>();
  const handlerOf = (name: string): Handler => {
    const definition = functions.get(name);
    if (definition === undefined) throw new Error(`there is no function ${name}`);
    const handler = warm.get(name) ?? withoutWords(definition.wire(systemOf(definition.environment)) as Handler);
    warm.set(name, handler);
    return handler;
  };
  const context = { getRemainingTimeInMillis: () => 200_000, functionName: 'f', awsRequestId: 'r' };
  async function askProvider(request: Request): Promise<Response> {
    pipeline.providerRequests.push([request.url, JSON.stringify([...request.headers]), await request.clone().text()].join('\n'));
    if (pipeline.provider !== undefined) return pipeline.provider(request);
    const { pathname } = new URL(request.url);
    const body = request.method === 'POST' ? await request.text() : undefined;
    const event = {
      rawPath: pathname,
      rawQueryString: '',
      headers: Object.fromEntries(request.headers),
      requestContext: { http: { method: request.method } },
      body,
    };
    const answer = await pipeline.invoke('payment-sandbox', event);
    return new Response(answer?.body ?? '', {
      status: answer?.statusCode ?? 500,
      headers: (answer?.headers ?? {}) as Record<string, string>,
    });
  }
  let [carried, passes] = [0, 0];
  const pipeline: WatchedPipeline = {
    aws,
    provider: undefined,
    outage: undefined,
    providerRequests: [],
    async invoke(name, event) {
      try {
        const answer = (await handlerOf(name)(event, context)) as HttpAnswer | undefined;
        if (Number(answer?.statusCode) >= 400) refusals.push(`${name} ${JSON.stringify(answer)}`);
        return answer;
      } catch (error) {
        // The runtime prints what a function throws.
        thrown.push(`${name} ${inWords(error)}`);
        return undefined;
      }
    },
    async settle() {
      for (passes = 0; passes < 20; passes++) {
        const records = aws.dynamodb.stream(TABLES.state).slice(carried);
        carried += records.length;
        if (records.length > 0)
          for (const reader of ['dispatch-outbox', 'invalidate-cache']) await pipeline.invoke(reader, { Records: records });
        if (!(await deliver()) && records.length === 0) return;
        clock.advance(1_000);
      }
    },
    send: (queueName, MessageBody, MessageAttributes = {}) =>
      void aws.sqs.handle('SendMessage', {
        QueueUrl: urlOf(queueName),
        MessageBody,
        MessageAttributes,
        ...(isFifo(queueName) ? { MessageGroupId: 'g', MessageDeduplicationId: String(aws.calls.length + Math.random()) } : {}),
      }),
    async whatOthersRead() {
      const rows = (table: string): string => JSON.stringify(aws.dynamodb.items(table));
      const letters = [...workers.keys()].flatMap((name) => aws.sqs.messages(deadLetterQueueOf(name)));
      return {
        'log lines and metrics': output.lines.join('\n'),
        'thrown errors': thrown.join('\n'),
        'refusals of the API': refusals.filter((line) => !line.startsWith('payment-sandbox')).join('\n'),
        'attributes of letters': JSON.stringify(letters.map(({ attributes }) => attributes)),
        'what was sent to queues': JSON.stringify(
          aws.calls.filter(({ operation, input }) => operation.startsWith('SendMessage') && !isLetter(input)).map(({ input }) => input),
        ),
        'calls to the provider': pipeline.providerRequests.join('\n'),
        'Control table': rows(TABLES.control),
        'mail table': rows(TABLES.mail),
        'State table but for notes': JSON.stringify(
          aws.dynamodb.items(TABLES.state).map((item) => ({ ...fromAttributeValues(item as never), note: undefined })),
        ),
        'names in the cache': JSON.stringify(aws.dynamodb.items(TABLES.cache).map((item) => fromAttributeValues(item as never)['key'])),
      };
    },
    close: output.restore,
  };
  const urlOf = (queueName: string): string => `https://sqs.us-east-1.amazonaws.com/000000000000/${queueName}`;
  async function deliver(): Promise<boolean> {
    let moved = false;
    for (const [queueName, worker] of workers) {
      const answer = aws.sqs.handle('ReceiveMessage', {
        QueueUrl: urlOf(queueName),
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
        VisibilityTimeout: 900,
      });
      const messages = ('output' in answer ? (answer.output as { Messages?: Received[] }).Messages : undefined) ?? [];
      if (messages.length === 0) continue;
      moved = true;
      const failed = (await pipeline.invoke(worker, { Records: messages.map(asRecord) })) as
        | { batchItemFailures?: { itemIdentifier: string }[] }
        | undefined;
      const left = new Set(
        failed === undefined
          ? messages.map(({ MessageId }) => MessageId)
          : failed.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier),
      );
      for (const { MessageId, ReceiptHandle } of messages)
        if (!left.has(MessageId)) aws.sqs.handle('DeleteMessage', { QueueUrl: urlOf(queueName), ReceiptHandle });
    }
    return moved;
  }
  return pipeline;
}

interface Received {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes?: Record<string, string>;
  readonly MessageAttributes?: Record<string, { StringValue?: string }>;
}

const asRecord = ({ MessageId, ReceiptHandle, Body, Attributes = {}, MessageAttributes = {} }: Received) => ({
  messageId: MessageId,
  receiptHandle: ReceiptHandle,
  body: Body,
  attributes: Attributes,
  messageAttributes: Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, { stringValue: StringValue }]),
  ),
});

/** A letter keeps its message byte for byte; what is added to it is looked at in the queue. */
const isLetter = ({ QueueUrl }: { readonly QueueUrl?: string }): boolean => /-dlq(?:\.fifo)?$/.test(QueueUrl ?? '');

function requestHandler(aws: FakeAws, objects: ReturnType<typeof createObjectStore>, pipeline: Pick<WatchedPipeline, 'outage'>) {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(
      request: { method: string; path: string; query: Record<string, string>; headers: Record<string, string>; body?: unknown },
      options: unknown,
    ) {
      if (pipeline.outage !== undefined) throw Object.assign(new Error(pipeline.outage), { name: 'ValidationException', $fault: 'client' });
      if (request.headers['x-amz-target'] !== undefined) return aws.requestHandler.handle(request as never, options as never);
      const { body, ...head } = objects.handle({ ...request, body: Buffer.from((request.body ?? '') as string) } as never);
      return { response: { ...head, body: Readable.from([body]) } };
    },
    destroy() {},
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}

const inWords = (error: unknown): string =>
  error instanceof Error
    ? `${error.name} ${error.message} ${error.stack} ${JSON.stringify({ ...error })} ${inWords(error.cause)}`
    : String(error);
