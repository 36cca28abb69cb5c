import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { Meter } from '../meter/meter.ts';
import { watchServices } from '../meter/watch-services.ts';
import type { Answer } from './aws-error.ts';
import { createFakeDynamodb, type FakeDynamodb } from './fake-dynamodb.ts';
import { createFakeSqs, type FakeSqs } from './fake-sqs.ts';
import { asError, conflictAnswer, type Fault, withoutEntries } from './fault.ts';
import type { StaleReceipt } from './sqs/receipt.ts';
import { type Call, createHttpHandler, type RequestHandler } from './wire.ts';

export type { Call, Fault };

/** A request as it left the SDK (its own retries are requests of their own), and what became of it. */
export interface RecordedCall extends Call {
  readonly answer: 'ok' | 'pending' | 'lost' | 'not-sent' | (string & {});
}

/** Called before every request is applied; undefined lets it pass. May be asynchronous: the request waits. */
export type FaultHook = (call: Call) => Fault | undefined | Promise<Fault | undefined>;

export interface FakeAws {
  readonly dynamodb: FakeDynamodb;
  readonly sqs: FakeSqs;
  readonly requestHandler: RequestHandler;
  /** What a client needs besides: `new DynamoDBClient(aws.clientConfig)`. */
  readonly clientConfig: {
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
    readonly requestHandler: RequestHandler;
    /** Signs nothing: half the cost of a request, and nobody here would check it. */
    readonly signer: NonNullable<DynamoDBClientConfig['signer']>;
  };
  /** Every request in order; clear it with `calls.length = 0`. */
  readonly calls: RecordedCall[];
  /** May be set or replaced at any time. */
  fault: FaultHook | undefined;
}

export interface FakeAwsOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly fault?: FaultHook;
  readonly staleReceipt?: StaleReceipt;
  /** Counts what every request costs. */
  readonly meter?: Meter;
}

/** DynamoDB and SQS in memory, under the real SDK clients. */
export function createFakeAws({ now, fault, staleReceipt = 'refuse', meter }: FakeAwsOptions): FakeAws {
  const dynamodb = createFakeDynamodb({ now });
  const sqs = createFakeSqs({ now, staleReceipt });
  const watch = meter === undefined ? (_call: Call, run: () => Answer) => run() : watchServices(meter, dynamodb);
  const calls: RecordedCall[] = [];
  const requestHandler = createHttpHandler((call, signal) => {
    const record: { -readonly [Member in keyof RecordedCall]: RecordedCall[Member] } = { ...call, answer: 'pending' };
    calls.push(record);
    const settle: Settle = (answer) => {
      record.answer = answer;
    };
    return serve({ dynamodb, sqs, watch }, call, aws.fault, settle, signal);
  });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const signer = { sign: async <Request>(request: Request) => request } as FakeAws['clientConfig']['signer'];
  const clientConfig = { region: 'us-east-1', credentials, requestHandler, signer };
  const aws: FakeAws = { dynamodb, sqs, calls, requestHandler, clientConfig, fault };
  return aws;
}

type Services = Pick<FakeAws, 'dynamodb' | 'sqs'> & { readonly watch: ReturnType<typeof watchServices> };
type Settle = (answer: RecordedCall['answer']) => void;

async function serve(services: Services, call: Call, hook: FaultHook | undefined, settle: Settle, signal?: AbortSignal): Promise<Answer> {
  const fault = hook && (await orAborted(hook(call), signal));
  if (fault === 'fail-before') {
    settle('not-sent');
    throw connectionError('ECONNREFUSED', 'connect ECONNREFUSED (fault before the request was sent)');
  }
  const answer =
    typeof fault === 'object' && 'inProgressUntil' in fault
      ? await orAborted(applyAtTheEnd(services, call, fault.inProgressUntil), signal)
      : apply(services, call, fault);
  if (fault === 'apply-then-lose-answer') {
    settle('lost');
    throw connectionError('ECONNRESET', 'socket hang up (fault after the request was applied)');
  }
  if (typeof fault === 'object' && 'answerAfter' in fault) await orAborted(fault.answerAfter, signal);
  settle('error' in answer ? answer.error.name : 'ok');
  return answer;
}

function apply({ dynamodb, sqs, watch }: Services, { service, operation, input }: Call, fault: Fault | undefined): Answer {
  const lag = typeof fault === 'object' && 'changesBehind' in fault ? fault : {};
  const run = (given: Record<string, unknown>): Answer =>
    watch({ service, operation, input: given }, () =>
      service === 'dynamodb' ? dynamodb.handle(operation, given, lag) : sqs.handle(operation, given),
    );
  if (typeof fault !== 'object') return run(input);
  if ('conflicts' in fault) return conflictAnswer({ operation, input }, fault.conflicts);
  if ('failedEntries' in fault) return withoutEntries(input, fault.failedEntries, run);
  if (!('error' in fault)) return run(input);
  if (fault.applied) run(input);
  return { error: asError(fault) };
}

/** Goes on when its caller gives up. */
async function applyAtTheEnd(services: Services, call: Call, end: Promise<unknown>): Promise<Answer> {
  const begun =
    call.operation === 'TransactWriteItems' ? services.dynamodb.begin(call.input) : { finish: () => apply(services, call, undefined) };
  if ('error' in begun) return begun;
  await end;
  return begun.finish();
}

function connectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** A held request gives up when its caller does, as a socket would. */
function orAborted<T>(waiting: T | Promise<T>, signal: AbortSignal | undefined): T | Promise<T> {
  if (!(waiting instanceof Promise) || !signal) return waiting;
  const aborted = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });
  if (signal.aborted) return Promise.reject(aborted());
  return new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(aborted()), { once: true });
    waiting.then(resolve, reject);
  });
}
