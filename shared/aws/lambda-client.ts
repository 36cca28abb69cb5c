import { LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';

const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 5_000;

type ClientOptions = { maxAttempts?: number } & Pick<LambdaClientConfig, 'requestHandler'>;

/** @param options.maxAttempts tries of one call, the first included */
export const createLambdaClient = ({ maxAttempts = 3, requestHandler }: ClientOptions = {}): LambdaClient =>
  new LambdaClient({
    maxAttempts,
    requestHandler: requestHandler ?? {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
