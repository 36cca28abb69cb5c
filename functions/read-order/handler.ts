import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { CacheEntry } from '#shared/cache/cache-port.ts';
import type { Load, ReadThrough, ReadThroughAnswer } from '#shared/cache/read-through.ts';
import { problem } from '#shared/contract/problem.ts';
import { parseReadRequest, type ReadRequest } from './request.ts';

/** GET /users/{userId}/orders/{orderId} and GET /users/{userId}/order-summary: the cache, or the table. */
export interface ReadOrderWorld {
  readonly readThrough: ReadThrough;
  /** How each resource is loaded from the table, its cache key, and what is answered when there is nothing. */
  readonly resource: (request: ReadRequest) => Resource;
  /** Members of the log line that count reads and hits. */
  readonly measure: (hit: boolean) => Record<string, unknown>;
  readonly log: {
    info(message: string, fields: Record<string, unknown>): void;
    error(message: string, fields: { error: Error; requestId: string }): void;
  };
}

export interface Resource {
  readonly key: string;
  readonly load: Load;
  /** Whether a cached entry is an answer to this request. */
  readonly accepts: (entry: CacheEntry) => boolean;
  /** The answer for "nothing there", never cached; undefined is a 404. */
  readonly whenAbsent: CacheEntry | undefined;
}

type Event = Pick<APIGatewayProxyEventV2, 'rawPath'> & {
  readonly requestContext: Pick<APIGatewayProxyEventV2['requestContext'], 'requestId'>;
};
type Response = APIGatewayProxyStructuredResultV2;

export const readOrder =
  (world: ReadOrderWorld) =>
  async (event: Event): Promise<Response> => {
    const request = parseReadRequest(event.rawPath);
    if (request.kind === 'refused') return problem(request.status, request.code, request.detail);
    try {
      return await answer(world, world.resource(request));
    } catch (error) {
      const { requestId } = event.requestContext;
      world.log.error('order could not be read', { error: error as Error, requestId });
      return failure(error, requestId);
    }
  };

async function answer({ readThrough, measure, log }: ReadOrderWorld, { key, load, accepts, whenAbsent }: Resource): Promise<Response> {
  const { entry, via } = await readThrough(key, load, accepts);
  const cacheStatus = CACHE_STATUS[via];
  log.info('order read', { key, cacheStatus, ...measure(via === 'hit') });
  const found = entry ?? whenAbsent;
  if (found !== undefined) return ok(found, cacheStatus);
  const detail = 'This user has no order with this id. Right after the POST that creates an order, ask again.';
  return problem(404, 'order-not-found', detail, { headers: { 'cache-status': cacheStatus } });
}

/** RFC 9211. */
const CACHE_STATUS: Readonly<Record<ReadThroughAnswer['via'], string>> = {
  hit: 'andal; hit',
  stored: 'andal; fwd=miss; stored',
  loaded: 'andal; fwd=miss',
  bypassed: 'andal; fwd=bypass; detail=cache-failed',
};

const ok = ({ version, value }: CacheEntry, cacheStatus: string): Response => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json', 'cache-status': cacheStatus, etag: `"${version}"`, 'x-order-version': String(version) },
  body: JSON.stringify(value),
});

function failure(error: unknown, requestId: string): Response {
  if ((error as { code?: unknown }).code === 'order-unreadable') {
    return problem(500, 'order-unreadable', 'The order is stored in a form that cannot be read. Give the request id to the operator.', {
      members: { requestId },
    });
  }
  return problem(500, 'read-failed', 'The order could not be read. Try again; if this goes on, give the request id to the operator.', {
    members: { requestId },
  });
}
