import type { System } from '#shared/runtime/system.ts';
import { md5 } from '../../support/fake-aws/sqs/md5.ts';
import type { RequestHandler } from '../../support/fake-aws/wire.ts';
import type { SdkRequest } from './rest-call.ts';

/** What becomes of the messages that a process writes. */
export interface Rewriting {
  /** A text attribute of an item. */
  storedText(text: string): string;
  /** An entry of an outbox. */
  outboxVersion(kind: string, version: number): number;
  /** A body sent to a queue. */
  sentText(text: string): string;
}

type CreateRequestHandler = NonNullable<System['sdk']['createRequestHandler']>;
type JsonRequest = Parameters<RequestHandler['handle']>[0];
type JsonOptions = Parameters<RequestHandler['handle']>[1];
type Answered = Awaited<ReturnType<RequestHandler['handle']>>;

/** Changes messages on their way out of a process, behind the SDK's back. */
export function rewriteRequests(system: System, rewriting: Rewriting): System {
  const create = system.sdk.createRequestHandler as CreateRequestHandler;
  const createRequestHandler: CreateRequestHandler = (limits) => {
    const inner = create(limits) as RequestHandler;
    const handle = (request: JsonRequest, options: JsonOptions) => rewrite(request, (changed) => inner.handle(changed, options), rewriting);
    return { ...inner, handle } as unknown as RequestHandler;
  };
  return { ...system, sdk: { ...system.sdk, createRequestHandler } };
}

async function rewrite(request: JsonRequest, send: (request: JsonRequest) => Promise<Answered>, rewriting: Rewriting): Promise<Answered> {
  const target = request.headers['x-amz-target'] ?? '';
  if (/^DynamoDB.*\.(?:Put|Update|TransactWrite)/.test(target)) {
    const input = rewriteStored(JSON.parse(textOf(request)), rewriting);
    return send({ ...request, body: JSON.stringify(input) });
  }
  if (!/^AmazonSQS\.SendMessage/.test(target)) return send(request);
  const input = JSON.parse(textOf(request)) as Sending;
  const entries = (input.Entries ?? [input]) as { MessageBody: string }[];
  const bodies = entries.map(({ MessageBody }) => MessageBody);
  for (const entry of entries) entry.MessageBody = rewriting.sentText(entry.MessageBody);
  const answer = await send({ ...request, body: JSON.stringify(input) });
  return asSent(answer, input, bodies);
}

interface Sending {
  readonly Entries?: readonly { readonly Id: string }[];
}
interface Sent {
  readonly MD5OfMessageBody?: string;
  readonly Successful?: readonly { readonly Id: string }[];
}

/** The SDK compares digests with what it believes it has sent. */
function asSent({ response }: Answered, { Entries }: Sending, bodies: readonly string[]): Answered {
  if (response.statusCode !== 200) return { response };
  const output = JSON.parse(Buffer.from(response.body).toString()) as Sent;
  const digestOf = (id: string) => md5(bodies[Entries?.findIndex((entry) => entry.Id === id) ?? 0] ?? '');
  const Successful = output.Successful?.map((entry) => ({ ...entry, MD5OfMessageBody: digestOf(entry.Id) }));
  const digests = Successful === undefined ? { MD5OfMessageBody: md5(bodies[0] ?? '') } : { Successful };
  const body = Buffer.from(JSON.stringify({ ...output, ...digests }));
  return { response: { ...response, body, headers: { ...response.headers, 'content-length': String(body.length) } } };
}

interface OutboxEntry {
  readonly kind?: { readonly S?: string };
  readonly version?: { N?: string };
  readonly idempotencyKey?: object;
}

/** Attribute values are changed in place: the input was parsed for this. */
function rewriteStored<Value>(value: Value, rewriting: Rewriting): Value {
  if (typeof value !== 'object' || value === null) return value;
  const { S, M } = value as { S?: unknown; M?: OutboxEntry };
  if (typeof S === 'string') Object.assign(value, { S: rewriting.storedText(S) });
  if (M?.idempotencyKey !== undefined && M.kind?.S !== undefined && M.version?.N !== undefined)
    M.version.N = String(rewriting.outboxVersion(M.kind.S, Number(M.version.N)));
  for (const member of Object.values(value)) rewriteStored(member, rewriting);
  return value;
}

function textOf({ body }: SdkRequest): string {
  if (typeof body === 'string') return body;
  const { buffer, byteOffset, byteLength } = body as Uint8Array<ArrayBuffer>;
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}
