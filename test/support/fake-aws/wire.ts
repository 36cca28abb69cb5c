import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { Answer, AwsError } from './aws-error.ts';

export type Service = 'dynamodb' | 'sqs';

export interface Call {
  readonly service: Service;
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: assertions reach into inputs of every operation
  readonly input: any;
}
interface HttpRequest {
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}
interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}
interface Handler {
  handle(request: HttpRequest, options?: { readonly abortSignal?: unknown }): Promise<{ response: HttpResponse }>;
}

/** What an SDK client takes as `requestHandler`, here with the one method that matters in sight. */
export type RequestHandler = NonNullable<DynamoDBClientConfig['requestHandler']> & Handler;

const SERVICES: Record<string, Service> = { DynamoDB_20120810: 'dynamodb', AmazonSQS: 'sqs' };

/** Speaks AWS JSON 1.0 to the SDK's clients: takes a signed request apart, and wraps the answer as the service would. */
export function createHttpHandler(serveCall: (call: Call, signal?: AbortSignal) => Promise<Answer>): RequestHandler {
  const handler: Handler & Record<string, unknown> = {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request, options) {
      const name = request.headers['x-amz-target'] ?? '';
      const [target, operation] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)];
      const service = SERVICES[target];
      if (!service) throw new Error(`fake AWS does not know the service ${target}`);
      const input = JSON.parse(textOf(request.body)) as Record<string, unknown>;
      return {
        response: responseOf(service, await serveCall({ service, operation, input }, options?.abortSignal as AbortSignal | undefined)),
      };
    },
    destroy() {},
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
  return handler as RequestHandler;
}

/** As bytes: the SDK's body warns when it is used like a text. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  const { buffer, byteOffset, byteLength } = body as Uint8Array<ArrayBuffer>;
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

function responseOf(service: Service, answer: Answer): HttpResponse {
  const isError = 'error' in answer;
  const body = Buffer.from(JSON.stringify(isError ? errorBody(service, answer.error) : answer.output));
  const headers: Record<string, string> = { 'content-type': 'application/x-amz-json-1.0', 'content-length': String(body.length) };
  if (service === 'sqs' && isError)
    headers['x-amzn-query-error'] = `${queryCode(answer.error.name)};${answer.error.status < 500 ? 'Sender' : 'Receiver'}`;
  return { statusCode: isError ? answer.error.status : 200, headers, body };
}

function errorBody(service: Service, { name, message, fields }: AwsError): Record<string, unknown> {
  const namespace = service === 'sqs' ? 'com.amazonaws.sqs' : 'com.amazonaws.dynamodb.v20120810';
  return { __type: `${namespace}#${name}`, message, ...fields };
}

const QUERY_CODES: Record<string, string> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  InvalidParameterValueException: 'InvalidParameterValue',
  MissingRequiredParameterException: 'MissingParameter',
};
const PREFIXED = [
  'TooManyEntriesInBatchRequest',
  'EmptyBatchRequest',
  'BatchEntryIdsNotDistinct',
  'InvalidBatchEntryId',
  'BatchRequestTooLong',
  'MessageNotInflight',
  'PurgeQueueInProgress',
];

/** SQS still answers with the codes of its older protocol, in a header. */
const queryCode = (name: string): string => QUERY_CODES[name] ?? (PREFIXED.includes(name) ? `AWS.SimpleQueueService.${name}` : name);
