import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';

const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 3_000;

type ClientOptions = { maxAttempts?: number } & Pick<SQSClientConfig, 'requestHandler'>;

/** @param options.maxAttempts tries of one call, the first included */
export const createSqsClient = ({ maxAttempts = 3, requestHandler }: ClientOptions = {}): SQSClient =>
  new SQSClient({
    maxAttempts,
    requestHandler: requestHandler ?? {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });

export type SqsClient = SQSClient;
