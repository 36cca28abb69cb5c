/** A request to S3, as far as it matters here. */
export interface ObjectRequest {
  readonly method: string;
  /** `/bucket/key`, however the client spelled it. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ObjectAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export interface ObjectStore {
  /** By path: `/bucket/key`. */
  readonly objects: Map<string, Buffer>;
  /** Multipart uploads that were begun and neither completed nor aborted: parts by their numbers. */
  readonly uploads: Map<string, Map<number, Buffer>>;
  handle(request: ObjectRequest): ObjectAnswer;
}

/** S3 as a state machine: whole objects, conditional puts and multipart uploads. An object appears whole or not at all. */
export function createObjectStore(): ObjectStore {
  const objects: ObjectStore['objects'] = new Map();
  const uploads: ObjectStore['uploads'] = new Map();
  const store: ObjectStore = { objects, uploads, handle: (request) => serve(request, store, () => `upload-${++begun}`) };
  let begun = 0;
  return store;
}

function serve({ method, path, query, headers, body }: ObjectRequest, store: ObjectStore, nextUploadId: () => string): ObjectAnswer {
  const { objects, uploads } = store;
  const { uploadId } = query;
  const upload = uploads.get(uploadId ?? '');
  if (method === 'GET') return objects.has(path) ? answer(200, objects.get(path)) : failedObject(404, 'NoSuchKey');
  if (method === 'POST' && query['uploads'] !== undefined) {
    const id = nextUploadId();
    uploads.set(id, new Map());
    return answer(200, Buffer.from(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`));
  }
  if (uploadId !== undefined && upload === undefined) return failedObject(404, 'NoSuchUpload');
  if (method === 'DELETE') {
    uploads.delete(uploadId ?? '');
    return answer(204);
  }
  if (method === 'POST') return complete(path, uploadId ?? '', store);
  if (upload !== undefined) {
    upload.set(Number(query['partNumber']), body);
    return answer(200, undefined, { etag: `"${query['partNumber']}"` });
  }
  if (headers['if-none-match'] === '*' && objects.has(path)) return failedObject(412, 'PreconditionFailed');
  objects.set(path, body);
  return answer(200);
}

const SMALLEST_PART_BYTES = 5 * 1024 * 1024;

function complete(path: string, id: string, { objects, uploads }: ObjectStore): ObjectAnswer {
  const parts = [...(uploads.get(id) ?? [])].sort(([left], [right]) => left - right).map(([, part]) => part);
  if (parts.slice(0, -1).some((part) => part.length < SMALLEST_PART_BYTES)) return failedObject(400, 'EntityTooSmall');
  objects.set(path, Buffer.concat(parts));
  uploads.delete(id);
  return answer(200, Buffer.from('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>'));
}

const answer = (statusCode: number, body: Buffer = Buffer.alloc(0), headers: Record<string, string> = {}): ObjectAnswer => ({
  statusCode,
  headers: { 'content-length': String(body.length), ...headers },
  body,
});

/** An error as S3 spells it. */
export const failedObject = (statusCode: number, code: string): ObjectAnswer =>
  answer(statusCode, Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`), {
    'content-type': 'application/xml',
  });
