import { DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { createObjectStorage } from '#shared/aws/object-storage.ts';
import type { ArchiveStore } from '../dead-letters/archive-store.ts';
import { clientConfig } from './clients.ts';
import type { Target } from './target.ts';

/** Letters in a bucket of the stage. Its lifecycle takes them away with everything else there. */
export function createArchiveBucket(target: Target, bucket: string): ArchiveStore {
  const client = new S3Client(clientConfig(target));
  const { putOnce, get } = createObjectStorage(async () => client, bucket);
  return {
    place: `s3://${bucket}`,
    open: async () => {},
    putOnce,
    get,
    async *list(prefix) {
      let token: string | undefined;
      do {
        const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }));
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key;
        token = page.NextContinuationToken;
      } while (token !== undefined);
    },
    remove: async (key) => void (await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))),
    close: () => client.destroy(),
  };
}
