import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageRequest,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, describe, it } from 'vitest';
import type { TableDefinition } from '../support/fake-aws/fake-dynamodb.ts';
import type { QueueDefinition } from '../support/fake-aws/fake-sqs.ts';
import { createFakeAws } from '../support/fake-aws/request-handler.ts';
import { EMULATOR_DIFFERENCES } from './emulator-differences.ts';

/** What a conformance suite runs against: the fake, or an emulator behind the same SDK clients. */
export interface Target {
  readonly name: 'the fake' | 'the emulator';
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  /** Under a name of its own; returns that name. */
  createTable(definition: TableDefinition): Promise<string>;
  createQueue(definition: QueueDefinition): Promise<{ url: string; arn: string }>;
  /** One receive that waits up to `waitSeconds` for a message; the fake moves its clock instead. */
  receive(input: ReceiveMessageRequest, waitSeconds?: number): Promise<Message[]>;
  close(): Promise<void>;
}

export const endpoint = process.env.CONFORMANCE_ENDPOINT_URL;

/** Alone, the fake is compared with another of itself: a few runs show that it always answers the same. */
export const randomRuns = { seed: Number(process.env.CONFORMANCE_SEED ?? 20261130), numRuns: endpoint === undefined ? 25 : 150 };

const SETTLED: DynamoDBClientConfig = {
  region: 'us-east-1',
  maxAttempts: 1,
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

export function fakeTarget(): Target {
  let nowMs = Date.UTC(2026, 10, 30);
  const aws = createFakeAws({ now: () => nowMs });
  const sqs = new SQSClient({ ...SETTLED, requestHandler: aws.requestHandler });
  return {
    name: 'the fake',
    dynamodb: new DynamoDBClient({ ...SETTLED, requestHandler: aws.requestHandler }),
    sqs,
    async createTable(definition) {
      const name = `${definition.TableName}-${randomUUID()}`;
      aws.dynamodb.createTable({ ...definition, TableName: name });
      return name;
    },
    async createQueue(definition) {
      const name = uniqueQueueName(definition);
      return { url: aws.sqs.createQueue({ ...definition, QueueName: name }), arn: arnOf(name) };
    },
    async receive(input, waitSeconds = 0) {
      const { Messages: atOnce = [] } = await sqs.send(new ReceiveMessageCommand(input));
      if (atOnce.length > 0 || waitSeconds === 0) return atOnce;
      nowMs += waitSeconds * 1000;
      const { Messages: later = [] } = await sqs.send(new ReceiveMessageCommand(input));
      return later;
    },
    close: async () => undefined,
  };
}

export function emulatorTarget(url: string): Target {
  const requestHandler = { connectionTimeout: 1_000, requestTimeout: 15_000, throwOnRequestTimeout: true };
  const dynamodb = new DynamoDBClient({ ...SETTLED, endpoint: url, requestHandler });
  const sqs = new SQSClient({ ...SETTLED, endpoint: url, requestHandler });
  const cleanUp: (() => Promise<unknown>)[] = [];
  return {
    name: 'the emulator',
    dynamodb,
    sqs,
    async createTable({ timeToLiveAttribute, ...definition }) {
      const TableName = `${definition.TableName}-${randomUUID()}`;
      await dynamodb.send(new CreateTableCommand({ ...(definition as object), TableName, BillingMode: 'PAY_PER_REQUEST' } as never));
      cleanUp.push(() => dynamodb.send(new DeleteTableCommand({ TableName })));
      await waitUntilTableExists({ client: dynamodb, maxWaitTime: 10, minDelay: 1, maxDelay: 1 }, { TableName });
      if (timeToLiveAttribute !== undefined) {
        const TimeToLiveSpecification = { Enabled: true, AttributeName: timeToLiveAttribute };
        await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
      }
      return TableName;
    },
    async createQueue(definition) {
      const QueueName = uniqueQueueName(definition);
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: definition.Attributes ?? {} }));
      cleanUp.push(() => sqs.send(new DeleteQueueCommand({ QueueUrl })));
      return { url: QueueUrl as string, arn: arnOf(QueueName) };
    },
    async receive(input, waitSeconds = 0) {
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ ...input, WaitTimeSeconds: waitSeconds }));
      return Messages;
    },
    async close() {
      for (const drop of cleanUp) await drop();
      dynamodb.destroy();
      sqs.destroy();
    },
  };
}

const uniqueQueueName = ({ QueueName }: QueueDefinition): string =>
  QueueName.endsWith('.fifo') ? `${QueueName.slice(0, -5)}-${randomUUID()}.fifo` : `${QueueName}-${randomUUID()}`;

const arnOf = (name: string): string => `arn:aws:sqs:us-east-1:000000000000:${name}`;

type Promises = (promise: (title: string, body: () => Promise<void>) => void, target: Target) => void;

/** Runs one suite on the fake, and on an emulator when CONFORMANCE_ENDPOINT_URL names one. Known differences must fail there. */
export function describeConformance(service: 'dynamodb' | 'sqs', promises: Promises): void {
  const targets = [fakeTarget(), ...(endpoint === undefined ? [] : [emulatorTarget(endpoint)])];
  for (const target of targets) {
    const differences = target.name === 'the emulator' ? EMULATOR_DIFFERENCES[service] : {};
    const unused = new Set(Object.keys(differences));
    describe(`${service} on ${target.name}`, () => {
      afterAll(() => target.close());
      promises((title, body) => {
        unused.delete(title);
        const difference = differences[title];
        if (difference === undefined) it(title, body);
        else it.fails(`${title} [known difference: ${difference}]`, body);
      }, target);
      it('knows no difference that no promise names', () => {
        if (unused.size > 0) throw new Error(`emulator-differences.ts names what no test promises: ${[...unused].join('; ')}`);
      });
    });
  }
}

/** The refusal an SDK call ends with: an answer of the service that names the caller's mistake, and not a broken connection. */
export async function refusalOf(call: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  const answer = await call.then(
    (output) => ({ output }),
    (error: unknown) => ({ error: error as Error & { $metadata?: { httpStatusCode?: number } } }),
  );
  if ('output' in answer) throw new Error(`expected a refusal, got ${JSON.stringify(answer.output)}`);
  if (answer.error.$metadata?.httpStatusCode !== 400) throw answer.error;
  return answer.error as Error & Record<string, unknown>;
}
