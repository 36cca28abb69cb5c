/** A request to a service that speaks REST, named as its operation is. */
export interface RestCall {
  readonly service: 's3' | 'lambda';
  readonly operation: string;
  /** What it is about, in words that are the same in every run. */
  readonly subject: string;
  readonly method: string;
  /** S3: `/bucket/key`, whichever way the client spelled the bucket. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface RestAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** What an SDK client hands its request handler. */
export interface SdkRequest {
  readonly hostname?: string;
  readonly method?: string;
  readonly path?: string;
  readonly query?: RestCall['query'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** @throws Error for a service or an operation that is not simulated */
export function restCallOf({ hostname = '', method = 'GET', path = '/', query = {}, headers, body }: SdkRequest): RestCall {
  const sent = { method, query, headers, body: bytesOf(body) };
  const mappingId = /^\/2015-03-31\/event-source-mappings\/([^/]+)\/?$/.exec(path)?.[1];
  if (hostname.startsWith('lambda.') && mappingId !== undefined) {
    const operation = method === 'PUT' ? 'UpdateEventSourceMapping' : 'GetEventSourceMapping';
    return { ...sent, service: 'lambda', operation, subject: decodeURIComponent(mappingId), path };
  }
  const bucket = /^(?:(.+)\.)?s3\.[a-z0-9-]+\.amazonaws\.com$/.exec(hostname);
  if (bucket === null) throw new Error(`no service is simulated at ${hostname}${path}`);
  const whole = decodeURIComponent(bucket[1] === undefined ? path : `/${bucket[1]}${path}`);
  return { ...sent, service: 's3', operation: objectOperation(method, query), subject: whole.split('/').at(-1) ?? '', path: whole };
}

/** Never by way of the SDK's own text methods, which warn. */
function bytesOf(body: unknown): Buffer {
  if (body === undefined || typeof body === 'string') return Buffer.from(body ?? '');
  const { buffer, byteOffset, byteLength } = body as Uint8Array<ArrayBuffer>;
  return Buffer.from(buffer, byteOffset, byteLength);
}

function objectOperation(method: string, query: RestCall['query']): string {
  if (method === 'GET') return 'GetObject';
  if (method === 'DELETE') return 'AbortMultipartUpload';
  if (method === 'POST') return query['uploads'] === undefined ? 'CompleteMultipartUpload' : 'CreateMultipartUpload';
  return query['uploadId'] === undefined ? 'PutObject' : 'UploadPart';
}
