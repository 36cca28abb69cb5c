import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { type AuditEntry, entriesOf } from '#shared/dead-letter/audit.ts';
import { LETTER_ATTRIBUTE, writeLetter } from '#shared/dead-letter/letter.ts';
import { intentHash } from '#shared/idempotency/intent-hash.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { jobs } from '#shared/jobs/index.ts';
import type { FindAnswer } from '#shared/payments/payment-port.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { type CliAnswer, type CliRun, startCli } from './cli-process.ts';
import { type FakeLogLine, filterLogEvents, serveOthers, stackResourcesXml } from './fake-account-services.ts';
import { plainTable, stateTable } from './fake-aws/project-tables.ts';
import { createFakeAws, type FakeAws } from './fake-aws/request-handler.ts';
import { createObjectStore } from './object-store.ts';

/** An account with this pipeline in it, as far as the dead-letter commands see one: real HTTP, in memory. */
export interface FakeAccount {
  readonly aws: FakeAws;
  readonly objects: Map<string, Buffer>;
  /** What the provider says of an intent; anything else is not captured, `silent` is no answer, `silent-once` none to the first question. */
  readonly provider: Map<string, FindAnswer | 'silent' | 'silent-once'>;
  readonly asked: string[];
  /** What functions wrote, what they were deployed with, and which of them were called. */
  readonly logLines: FakeLogLine[];
  readonly variables: Record<string, string>;
  readonly invoked: string[];
  /** Moves the account's clock and no other. */
  nowMs: () => number;
  /** Deployed stacks by their outputs; none of another stage. */
  readonly outputs: Record<string, string>;
  letters(name: string): ReturnType<FakeAws['sqs']['messages']>;
  messages(name: string): ReturnType<FakeAws['sqs']['messages']>;
  putLetter(
    kind: string,
    body: string,
    why?: { reason: string; detail?: string; attempts?: number; replays?: number; attributes?: object },
  ): string;
  putItem(item: Record<string, unknown>): void;
  item(pk: string, sk: string): Record<string, unknown> | undefined;
  audit(): AuditEntry[];
  start(args: readonly string[], env?: NodeJS.ProcessEnv): CliRun;
  cli(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<CliAnswer>;
  close(): Promise<void>;
}

const INTENT_OF_FIRST = intentHash({ attempt: 1 });
const BUCKET = 'exports';
const RESCUE = 'rescue-jobs';
/** Whose logs are looked through. */
const FUNCTIONS = [RESCUE, ...jobs.map(({ kind }) => `execute-${kind}`)];
const isFifo = (kind: string): boolean => jobs.find((one) => one.kind === kind)?.queue.fifoGroup !== undefined;
const suffix = (kind: string): string => (isFifo(kind) ? '.fifo' : '');

export async function openFakeAccount(): Promise<FakeAccount> {
  const aws = createFakeAws({ now: () => account.nowMs() });
  const store = createObjectStore();
  const names = [...jobs.map(({ kind }) => kind), 'outbox-failed', 'invalidation-retry'];
  const server = createServer((request, response) => void serve(account, store, request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const queueUrl = (name: string): string => `${url}/000000000000/${name}`;
  const outputs: Record<string, string> = {
    [STACK_OUTPUTS.stateTable]: 'State',
    [STACK_OUTPUTS.controlTable]: 'Control',
    [STACK_OUTPUTS.cacheTable]: 'Cache',
    [STACK_OUTPUTS.exportBucket]: BUCKET,
    [STACK_OUTPUTS.mailTable]: 'Mail',
    [STACK_OUTPUTS.orderApiUrl]: url,
    [STACK_OUTPUTS.rescueJobsFunction]: RESCUE,
    [STACK_OUTPUTS.sweepStateFunction]: 'sweep-state',
    [STACK_OUTPUTS.sandboxUrl]: url,
    [STACK_OUTPUTS.outboxFailedQueueUrl]: queueUrl('outbox-failed'),
    [STACK_OUTPUTS.outboxFailedDeadLetterQueueUrl]: queueUrl('outbox-failed-dlq'),
    [STACK_OUTPUTS.invalidationRetryQueueUrl]: queueUrl('invalidation-retry'),
    [STACK_OUTPUTS.invalidationDeadLetterQueueUrl]: queueUrl('invalidation-retry-dlq'),
    ...Object.fromEntries(
      jobs.flatMap(({ kind }) => [
        [jobOutputs(kind).queueUrl, queueUrl(`${kind}${suffix(kind)}`)],
        [jobOutputs(kind).functionName, `execute-${kind}`],
        [jobOutputs(kind).mappingId, `mapping-${kind}`],
        [jobOutputs(kind).deadLetterQueueUrl, queueUrl(`${kind}-dlq${suffix(kind)}`)],
      ]),
    ),
  };
  const start: FakeAccount['start'] = (args, env = {}) => startCli(args, { AWS_ENDPOINT_URL: url, ...env });
  const account: FakeAccount = {
    aws,
    objects: store.objects,
    provider: new Map(),
    asked: [],
    logLines: [],
    variables: { TIME_SCALE: '1', RATE_LIMITS: '{"payment-provider":100}', PROVIDER_KEY_HORIZON_SECONDS: '86400', SWEEP_SEGMENTS: '1' },
    invoked: [],
    nowMs: Date.now,
    outputs,
    letters: (name) => aws.sqs.messages(`${name}-dlq${suffix(name)}`),
    messages: (name) => aws.sqs.messages(`${name}${suffix(name)}`),
    putLetter(kind, body, why) {
      const { attributes = {}, ...facts } = why ?? {};
      const seenAtMs = account.nowMs();
      const letter =
        'reason' in facts
          ? writeLetter({ kind, attempts: 0, ...facts, firstSeenAtMs: seenAtMs, lastSeenAtMs: seenAtMs } as never)
          : undefined;
      const answer = aws.sqs.handle('SendMessage', {
        QueueUrl: queueUrl(`${kind}-dlq${suffix(kind)}`),
        MessageBody: body,
        MessageAttributes: {
          ...attributes,
          ...(letter === undefined ? {} : { [LETTER_ATTRIBUTE]: { DataType: 'String', StringValue: JSON.stringify(letter) } }),
        },
        ...(isFifo(kind) ? { MessageGroupId: 'g', MessageDeduplicationId: String(Math.random()) } : {}),
      });
      if ('error' in answer) throw new Error(answer.error.message);
      return String((answer.output as { MessageId?: string }).MessageId);
    },
    putItem: (item) => void aws.dynamodb.handle('PutItem', { TableName: 'State', Item: marshal(item) }),
    item(pk, sk) {
      const answer = aws.dynamodb.handle('GetItem', { TableName: 'State', Key: marshal({ pk, sk }), ConsistentRead: true });
      const { Item } = ('output' in answer ? answer.output : {}) as { Item?: Record<string, unknown> };
      return Item === undefined ? undefined : unmarshal(Item);
    },
    audit() {
      const answer = aws.dynamodb.handle('Scan', { TableName: 'Control' });
      const { Items = [] } = ('output' in answer ? answer.output : {}) as { Items?: Record<string, unknown>[] };
      return Items.map(unmarshal).flatMap((row) => entriesOf(row));
    },
    start,
    cli: (args, env) => start(args, env).ended,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  aws.dynamodb.createTable(stateTable('State'));
  aws.dynamodb.createTable(plainTable('Control', ['id']));
  aws.dynamodb.createTable(plainTable('Cache', ['key']));
  aws.dynamodb.createTable(plainTable('Mail', ['deliveryKey', 'deliveryId']));
  const Attributes = { MessageRetentionPeriod: String(14 * 86_400) };
  for (const name of names)
    for (const QueueName of [`${name}${suffix(name)}`, `${name}-dlq${suffix(name)}`])
      aws.sqs.createQueue({ QueueName, Attributes: { ...Attributes, ...(isFifo(name) ? { FifoQueue: 'true' } : {}) } });
  return account;
}

/** The message that charges an order, as the pipeline writes it. */
export const captureBody = (userId: string, orderId: string, attempt = 1): string =>
  JSON.stringify(outboxMessage(job(capturePayment, { userId, orderId, attempt }), Date.now()));

/** An order whose capture was given up. */
export const discardedOrder = (userId: string, orderId: string, changed: Record<string, unknown> = {}): Record<string, unknown> => ({
  pk: `USER#${userId}`,
  sk: `ORDER#${orderId}`,
  userId,
  orderId,
  status: 'pending_payment',
  version: 1,
  fence: 6,
  lease: 'free',
  attempt: 1,
  amountMinor: 1250,
  currency: 'EUR',
  note: 'leave it with Mrs Neighbour',
  createdAtMs: Date.now() - 60_000,
  intentAtMs: Date.now() - 60_000,
  paymentIntentId: `pi-${orderId}-1`,
  captureKey: `capture:${userId}/${orderId}:1`,
  lastError: 'provider-answered-500',
  'op:capture:1': {
    status: 'discarded',
    reason: 'attempts-spent',
    hash: INTENT_OF_FIRST,
    atMs: Date.now() - 30_000,
    by: 'w-1',
    fence: 6,
    tries: 6,
    buried: true,
  },
  'try:capture:1': 6,
  ...changed,
});

async function serve(
  account: FakeAccount,
  store: ReturnType<typeof createObjectStore>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await buffer(request);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const send = (status: number, sent: Record<string, string>, text: string | Uint8Array): void =>
    void response.writeHead(status, sent).end(text);
  if (headers['x-amz-target']?.startsWith('Logs_') === true)
    return send(200, { 'content-type': 'application/x-amz-json-1.1' }, filterLogEvents(account, body.toString()));
  if (headers['x-amz-target'] !== undefined) {
    const answer = await account.aws.requestHandler.handle({
      headers: { ...headers, 'x-amz-target': headers['x-amz-target'] },
      body,
    } as never);
    const {
      statusCode,
      headers: answered,
      body: bytes,
    } = (answer as unknown as { response: { statusCode: number; headers: Record<string, string>; body: Uint8Array } }).response;
    return send(statusCode, answered, bytes);
  }
  const asked = { method: request.method ?? '', path: decodeURIComponent(pathname), query: searchParams, body: body.toString() };
  if (serveOthers(account, asked, send)) return;
  if (pathname.startsWith('/payment-intents/')) return askProvider(account, pathname, send);
  if (pathname === '/' && request.method === 'POST') return describeStacks(account, new URLSearchParams(body.toString()), send);
  if (request.method === 'GET' && searchParams.has('list-type')) return listObjects(store.objects, searchParams, send);
  if (request.method === 'DELETE') {
    store.objects.delete(pathname);
    return send(204, {}, '');
  }
  const answer = store.handle({
    method: request.method ?? '',
    path: decodeURIComponent(pathname),
    query: Object.fromEntries(searchParams),
    headers,
    body,
  });
  send(answer.statusCode, answer.headers, answer.body);
}

type Send = (status: number, headers: Record<string, string>, text: string) => void;

function askProvider({ provider, asked }: FakeAccount, path: string, send: Send): void {
  const intent = decodeURIComponent(path.split('/')[2] ?? '');
  asked.push(path);
  const answer = provider.get(intent) ?? { status: path.endsWith('/void') ? 'voided' : 'not-captured' };
  if (answer === 'silent-once') provider.delete(intent);
  if (answer === 'silent' || answer === 'silent-once') return send(503, {}, '');
  send(200, { 'content-type': 'application/json' }, JSON.stringify(answer));
}

/** Stage local alone is deployed here. */
function describeStacks({ outputs }: FakeAccount, parameters: URLSearchParams, send: Send): void {
  const name = parameters.get('StackName') ?? '';
  const xml = { 'content-type': 'text/xml' };
  if (parameters.get('Action') === 'ListStackResources') return send(200, xml, stackResourcesXml(FUNCTIONS));
  if (!name.startsWith('Andal-local-'))
    return send(
      400,
      xml,
      `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message></Error></ErrorResponse>`,
    );
  const members = name.endsWith('-Data')
    ? Object.entries(outputs).map(([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`)
    : [];
  send(
    200,
    xml,
    `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>${name}</StackName><StackStatus>CREATE_COMPLETE</StackStatus><CreationTime>2026-01-01T00:00:00Z</CreationTime><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  );
}

function listObjects(objects: Map<string, Buffer>, query: URLSearchParams, send: Send): void {
  const keys = [...objects.keys()].filter((path) => path.startsWith(`/${BUCKET}/${query.get('prefix') ?? ''}`)).sort();
  const contents = keys.map((path) => `<Contents><Key>${path.slice(BUCKET.length + 2)}</Key></Contents>`).join('');
  send(
    200,
    { 'content-type': 'application/xml' },
    `<ListBucketResult><Name>${BUCKET}</Name><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`,
  );
}

const marshal = (item: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).flatMap(([name, value]) => (value === undefined ? [] : [[name, marshalValue(value)]])));

function marshalValue(value: unknown): unknown {
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'object' && value !== null) return { M: marshal(value as Record<string, unknown>) };
  return { S: String(value) };
}

const unmarshal = (item: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, unmarshalValue(value as Record<string, unknown>)]));

function unmarshalValue(value: Record<string, unknown>): unknown {
  if ('N' in value) return Number(value['N']);
  if ('BOOL' in value) return value['BOOL'];
  if ('L' in value) return (value['L'] as Record<string, unknown>[]).map(unmarshalValue);
  return 'M' in value ? unmarshal(value['M'] as Record<string, unknown>) : value['S'];
}
