import { DeleteBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { clientConfig } from './clients.ts';
import type { Target } from './target.ts';

/**
 * The bucket of the CDK refuses whoever does not come by TLS, and its policy says nothing else. Emulators are spoken to in plain
 * HTTP, so one that enforces policies would take no asset from anybody.
 *
 * Does not protect against being called for an account: there the policy has to stay.
 */
export async function admitPlainHttp(target: Target, bucket: string | undefined): Promise<void> {
  if (target.endpointUrl === undefined || bucket === undefined) return;
  // By path: a bucket before the emulator's host name resolves nowhere.
  const client = new S3Client({ ...clientConfig(target), forcePathStyle: true });
  try {
    await client.send(new DeleteBucketPolicyCommand({ Bucket: bucket }));
  } finally {
    client.destroy();
  }
}
