import { SQSClient } from '@aws-sdk/client-sqs';
import { type ClientOptions, clientConfig } from './sdk-options.ts';

const LIMITS = { connectionTimeout: 1_000, requestTimeout: 3_000 };

export const createSqsClient = ({ maxAttempts = 3, sdk }: ClientOptions = {}): SQSClient =>
  new SQSClient(clientConfig(maxAttempts, LIMITS, sdk));

export type SqsClient = SQSClient;
