import { Readable } from 'node:stream';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { createObjectStore, failedObject, type ObjectAnswer, type ObjectStore } from './object-store.ts';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string | undefined>;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

/** What a request meets: an error answer, or a connection that breaks once it was applied. */
export type S3Fault = { readonly status: number; readonly code: string } | 'apply-then-lose-answer';

export interface FakeS3 extends Pick<ObjectStore, 'objects' | 'uploads'> {
  readonly client: S3Client;
  readonly calls: { readonly method: string; readonly bytes: number; readonly query: Request['query'] }[];
  fault: ((method: string, query: Request['query']) => S3Fault | undefined) | undefined;
}

/** Whole objects, conditional puts and multipart uploads in memory, under the real SDK client. */
export function createFakeS3({ maxAttempts = 1 } = {}): FakeS3 {
  const store = createObjectStore();
  const calls: FakeS3['calls'] = [];
  const handler = {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: Request) {
      const body = Buffer.from((request.body ?? '') as string | Uint8Array);
      calls.push({ method: request.method, bytes: body.length, query: request.query });
      const fault = fake.fault?.(request.method, request.query);
      if (typeof fault === 'object') return { response: streamed(failedObject(fault.status, fault.code)) };
      const response = streamed(store.handle({ ...request, body }));
      if (fault === 'apply-then-lose-answer') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      return { response };
    },
    destroy() {},
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
  const config = {
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts,
    requestHandler: handler as unknown as NonNullable<S3ClientConfig['requestHandler']>,
  };
  const fake: FakeS3 = { client: new S3Client(config), objects: store.objects, calls, uploads: store.uploads, fault: undefined };
  return fake;
}

const streamed = ({ body, ...head }: ObjectAnswer) => ({ ...head, body: Readable.from([body]) });
