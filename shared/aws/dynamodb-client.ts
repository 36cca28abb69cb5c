import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** The SDK waits forever by default; a write that takes longer than this is better judged by the next delivery. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 3_000;

type ClientOptions = { maxAttempts?: number } & Pick<DynamoDBClientConfig, 'requestHandler'>;

/** @param options.maxAttempts tries of one call, the first included; 1 for writes whose late copy would do harm */
export const createDynamoDbClient = ({ maxAttempts = 3, requestHandler }: ClientOptions = {}): DynamoDBClient =>
  new DynamoDBClient({
    maxAttempts,
    requestHandler: requestHandler ?? {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
