import { LambdaClient } from '@aws-sdk/client-lambda';
import { type ClientOptions, clientConfig } from './sdk-options.ts';

const LIMITS = { connectionTimeout: 1_000, requestTimeout: 5_000 };

export const createLambdaClient = ({ maxAttempts = 3, sdk }: ClientOptions = {}): LambdaClient =>
  new LambdaClient(clientConfig(maxAttempts, LIMITS, sdk));
