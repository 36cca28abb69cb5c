import { S3Client } from '@aws-sdk/client-s3';
import { type ClientOptions, clientConfig } from './sdk-options.ts';

/** A chunk of a long object takes longer than a write to a table; a lease outlasts all tries of one call. */
const LIMITS = { connectionTimeout: 1_000, requestTimeout: 6_000 };

export const createS3Client = ({ maxAttempts = 3, sdk }: ClientOptions = {}): S3Client =>
  new S3Client(clientConfig(maxAttempts, LIMITS, sdk));

export type ObjectStorageClient = S3Client;
