import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

/** A chunk of a long object takes longer than a write to a table; a lease outlasts all tries of one call. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 6_000;

type ClientOptions = { maxAttempts?: number } & Pick<S3ClientConfig, 'requestHandler'>;

/** @param options.maxAttempts tries of one call, the first included */
export const createS3Client = ({ maxAttempts = 3, requestHandler }: ClientOptions = {}): S3Client =>
  new S3Client({
    maxAttempts,
    requestHandler: requestHandler ?? {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });

export type ObjectStorageClient = S3Client;
