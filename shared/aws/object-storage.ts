import type { S3Client } from '@aws-sdk/client-s3';
import type { ObjectStoragePort } from '#shared/exports/object-storage-port.ts';

/** The SDK's client is loaded on first use: workers of other kinds share the bundle and never pay for it. */
type Lazy<T> = () => Promise<T>;

const s3 = () => import('@aws-sdk/client-s3');

interface Target {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
}

/** S3 takes at least 5 MiB in every part of a multipart upload but the last; this much and one chunk is held in memory. */
const PART_BYTES = 8 * 1024 * 1024;
const CONTENT_TYPE = 'application/jsonl';

export const createObjectStorage = (client: Lazy<S3Client>, bucket: string): ObjectStoragePort => ({
  async putOnce(key, text) {
    const { PutObjectCommand } = await s3();
    const request = { Bucket: bucket, Key: key, Body: Buffer.from(text), ContentType: CONTENT_TYPE, IfNoneMatch: '*' };
    try {
      await (await client()).send(new PutObjectCommand(request));
      return true;
    } catch (error) {
      // Also the answer to the SDK's repetition of our own write: the caller then reads what it wrote.
      if (named(error, 'PreconditionFailed')) return false;
      throw error;
    }
  },
  put: async (key, chunks) => putChunks({ client: await client(), Bucket: bucket, Key: key }, inParts(chunks)),
  async get(key) {
    const { GetObjectCommand } = await s3();
    try {
      const { Body } = await (await client()).send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return await Body?.transformToString('utf-8');
    } catch (error) {
      if (named(error, 'NoSuchKey')) return undefined;
      throw error;
    }
  },
});

/** A short object is one request; a longer one appears when its last part is in, and not at all when anything fails before. */
async function putChunks(target: Target, parts: AsyncGenerator<Buffer, Buffer>): Promise<void> {
  const { PutObjectCommand } = await s3();
  const { client, ...object } = target;
  const first = await parts.next();
  if (!first.done) return putMultipart(target, first.value, parts);
  await client.send(new PutObjectCommand({ ...object, Body: first.value, ContentType: CONTENT_TYPE }));
}

async function putMultipart({ client, ...object }: Target, first: Buffer, rest: AsyncGenerator<Buffer, Buffer>): Promise<void> {
  const { AbortMultipartUploadCommand, CompleteMultipartUploadCommand, CreateMultipartUploadCommand, UploadPartCommand } = await s3();
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...object, ContentType: CONTENT_TYPE }));
  const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
  const upload = async (Body: Buffer): Promise<void> => {
    const PartNumber = Parts.length + 1;
    const { ETag } = await client.send(new UploadPartCommand({ ...object, UploadId, PartNumber, Body }));
    Parts.push({ PartNumber, ETag });
  };
  try {
    await upload(first);
    for (let next = await rest.next(); ; next = await rest.next()) {
      if (next.value.length > 0) await upload(next.value);
      if (next.done) break;
    }
    await client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }));
  } catch (error) {
    // What this leaves behind, the bucket's lifecycle takes away.
    await client.send(new AbortMultipartUploadCommand({ ...object, UploadId })).catch(() => undefined);
    throw error;
  }
}

/** Yields parts of full size; returns what is left, which may be nothing. */
async function* inParts(chunks: AsyncIterable<string>): AsyncGenerator<Buffer, Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    held.push(Buffer.from(chunk));
    bytes += held.at(-1)?.length ?? 0;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  return Buffer.concat(held);
}

const named = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;
