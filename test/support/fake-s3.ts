import { Readable } from 'node:stream';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string | undefined>;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

/** What a request meets: an error answer, or a connection that breaks once it was applied. */
export type S3Fault = { readonly status: number; readonly code: string } | 'apply-then-lose-answer';

export interface FakeS3 {
  readonly client: S3Client;
  /** By path: `/bucket/key`. */
  readonly objects: Map<string, Buffer>;
  readonly calls: { readonly method: string; readonly bytes: number; readonly query: Request['query'] }[];
  readonly uploads: Map<string, Map<number, Buffer>>;
  fault: ((method: string, query: Request['query']) => S3Fault | undefined) | undefined;
}

/** Whole objects, conditional puts and multipart uploads in memory, under the real SDK client. */
export function createFakeS3({ maxAttempts = 1 } = {}): FakeS3 {
  const objects = new Map<string, Buffer>();
  const uploads: FakeS3['uploads'] = new Map();
  const calls: FakeS3['calls'] = [];
  const handler = {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: Request) {
      const body = Buffer.from((request.body ?? '') as string | Uint8Array);
      calls.push({ method: request.method, bytes: body.length, query: request.query });
      const fault = fake.fault?.(request.method, request.query);
      if (typeof fault === 'object') return { response: failed(fault.status, fault.code) };
      const response = serve(request, body, { objects, uploads });
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
  const fake: FakeS3 = { client: new S3Client(config), objects, calls, uploads, fault: undefined };
  return fake;
}

function serve({ method, path, query, headers }: Request, body: Buffer, { objects, uploads }: Pick<FakeS3, 'objects' | 'uploads'>) {
  const upload = uploads.get(query['uploadId'] ?? '');
  if (method === 'GET') return objects.has(path) ? answer(200, objects.get(path)) : failed(404, 'NoSuchKey');
  if (method === 'POST' && query['uploads'] !== undefined) {
    const id = `upload-${uploads.size + 1}`;
    uploads.set(id, new Map());
    return answer(200, Buffer.from(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`));
  }
  if (query['uploadId'] !== undefined && upload === undefined) return failed(404, 'NoSuchUpload');
  if (method === 'DELETE') {
    uploads.delete(query['uploadId'] ?? '');
    return answer(204);
  }
  if (method === 'POST') return complete(path, query['uploadId'] ?? '', { objects, uploads });
  if (upload !== undefined) {
    upload.set(Number(query['partNumber']), body);
    return answer(200, undefined, { etag: `"${query['partNumber']}"` });
  }
  if (headers['if-none-match'] === '*' && objects.has(path)) return failed(412, 'PreconditionFailed');
  objects.set(path, body);
  return answer(200);
}

const SMALLEST_PART_BYTES = 5 * 1024 * 1024;

function complete(path: string, id: string, { objects, uploads }: Pick<FakeS3, 'objects' | 'uploads'>) {
  const parts = [...(uploads.get(id) ?? [])].sort(([left], [right]) => left - right).map(([, part]) => part);
  if (parts.slice(0, -1).some((part) => part.length < SMALLEST_PART_BYTES)) return failed(400, 'EntityTooSmall');
  objects.set(path, Buffer.concat(parts));
  uploads.delete(id);
  return answer(200, Buffer.from('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>'));
}

const answer = (statusCode: number, body: Buffer = Buffer.alloc(0), headers: Record<string, string> = {}) => ({
  statusCode,
  headers: { 'content-length': String(body.length), ...headers },
  body: Readable.from([body]),
});

const failed = (statusCode: number, code: string) =>
  answer(statusCode, Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`), {
    'content-type': 'application/xml',
  });
