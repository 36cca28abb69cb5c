import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CallLimits, type ClientOptions, clientConfig } from './sdk-options.ts';

/** The SDK waits forever by default; a write that takes longer than this is better judged by the next delivery. */
const LIMITS: CallLimits = { connectionTimeout: 1_000, requestTimeout: 3_000 };

type DynamoDbOptions = ClientOptions & { readonly limits?: CallLimits };

/** @param options.maxAttempts 1 for writes whose late copy would do harm */
export const createDynamoDbClient = ({ maxAttempts = 3, limits = LIMITS, sdk }: DynamoDbOptions = {}): DynamoDBClient =>
  new DynamoDBClient(clientConfig(maxAttempts, limits, sdk));
