import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createLambdaClient } from '#shared/aws/lambda-client.ts';
import { createS3Client } from '#shared/aws/s3-client.ts';
import { type CallLimits, clientConfig, type SdkOptions } from '#shared/aws/sdk-options.ts';
import { createSqsClient } from '#shared/aws/sqs-client.ts';
import type { System } from '#shared/runtime/system.ts';
import { wire } from '../../../functions/accept-order/wire.ts';
import { stateTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

type RetryStrategy = Extract<NonNullable<DynamoDBClientConfig['retryStrategy']>, { acquireInitialRetryToken: unknown }>;

function observedSdk() {
  const aws = createFakeAws({ now: () => 0 });
  const seen = { limits: [] as CallLimits[], tries: [] as number[] };
  const sdk: SdkOptions = {
    createRequestHandler(limits) {
      seen.limits.push(limits);
      return aws.requestHandler;
    },
    createRetryStrategy(maxAttempts): RetryStrategy {
      seen.tries.push(maxAttempts);
      return {
        acquireInitialRetryToken: async () => ({ getRetryCount: () => 0, getRetryDelay: () => 0 }),
        refreshRetryTokenForRetry: async () => Promise.reject(new Error('no more tries')),
        recordSuccess: () => {},
      };
    },
    config: { region: 'eu-central-1', credentials: { accessKeyId: 'own', secretAccessKey: 'own' } },
  };
  return { sdk, seen };
}

describe('the world an SDK client is given', () => {
  test.each([
    ['DynamoDB', createDynamoDbClient, 3_000],
    ['SQS', createSqsClient, 3_000],
    ['Lambda', createLambdaClient, 5_000],
    ['S3', createS3Client, 6_000],
  ])('replaces network, region and credentials of %s, and is told the limits of its calls', async (_name, create, requestTimeout) => {
    const { sdk, seen } = observedSdk();
    const { config } = create({ sdk });
    expect(seen).toEqual({ limits: [{ connectionTimeout: 1_000, requestTimeout }], tries: [3] });
    expect(await config.region()).toBe('eu-central-1');
    expect(await config.credentials()).toMatchObject({ accessKeyId: 'own' });
  });

  test('learns that the cache waits for a shorter time, and that its token writes are sent once', () => {
    const { sdk, seen } = observedSdk();
    createDynamoDbCache({ tableName: 'Cache', clock: createVirtualClock(), random: { fraction: () => 0, token: () => 't' }, sdk });
    const limits = { connectionTimeout: 300, requestTimeout: 800 };
    expect(seen).toEqual({ limits: [limits, limits], tries: [1, 3] });
  });

  test('leaves everything to the SDK where there is none, except that a call ends at its limits', () => {
    const limits = { connectionTimeout: 1, requestTimeout: 2 };
    expect(clientConfig(3, limits)).toEqual({ maxAttempts: 3, requestHandler: { ...limits, throwOnRequestTimeout: true } });
  });
});

test('the wiring of a function runs on a system of its own, and touches no other', async () => {
  const clock = createVirtualClock();
  const aws = createFakeAws({ now: clock.nowMs });
  aws.dynamodb.createTable(stateTable('OwnState'));
  const lines: unknown[] = [];
  const log = (message: string) => void lines.push(message);
  const { region, credentials, signer } = aws.clientConfig;
  const system: System = {
    environment: { STATE_TABLE: 'OwnState' },
    clock,
    random: { fraction: () => 0, token: () => 'token' },
    sdk: { createRequestHandler: () => aws.requestHandler, config: { region, credentials, signer } },
    fetch: () => Promise.reject(new Error('nobody is called')),
    createLogger: () => ({ info: log, warn: log, error: log }),
    createMetrics: () => () => ({}),
  };
  const { statusCode } = await wire(system)({
    pathParameters: { userId: 'u-1' },
    headers: { 'Idempotency-Key': 'key-1' },
    body: '{"amountMinor":4999,"currency":"EUR"}',
    isBase64Encoded: false,
    requestContext: { requestId: 'req-1' },
  });
  expect(statusCode).toBe(202);
  expect(aws.dynamodb.items('OwnState')).toHaveLength(1);
  expect(lines).toEqual(['order accepted']);
});
