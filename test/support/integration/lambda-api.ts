import { endpointUrl } from './deployment.ts';

/** The part of the Lambda API the tests need, spoken without an SDK client of its own. Emulators do not check signatures, but may ask who it is. */
const API = `${endpointUrl}/2015-03-31`;
const headers = {
  authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=none',
};

export interface Invocation {
  /** The answer of the function, or what it died of. */
  readonly payload: unknown;
  readonly failed: boolean;
}

export async function invoke(functionName: string, event: unknown): Promise<Invocation> {
  const response = await fetch(`${API}/functions/${functionName}/invocations`, {
    method: 'POST',
    headers,
    body: JSON.stringify(event),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`invoking ${functionName} was answered ${response.status}: ${text}`);
  return { payload: text === '' ? undefined : JSON.parse(text), failed: response.headers.get('x-amz-function-error') !== null };
}

export interface Mapping {
  readonly UUID: string;
  readonly EventSourceArn: string;
  readonly FunctionArn: string;
  readonly State: string;
  readonly StartingPosition?: string;
  readonly BatchSize: number;
  readonly FunctionResponseTypes: readonly string[];
  readonly FilterCriteria?: unknown;
}

const allMappings = async (): Promise<readonly Mapping[]> =>
  ((await request('GET', '/event-source-mappings/')) as { EventSourceMappings: Mapping[] }).EventSourceMappings;

const isFrom = (service: 'sqs' | 'dynamodb', { EventSourceArn }: Mapping): boolean => EventSourceArn.includes(`:${service}:`);

/** Those of every table. */
export const streamMappings = async (): Promise<Mapping[]> => (await allMappings()).filter((mapping) => isFrom('dynamodb', mapping));

export async function mappingOf(functionName: string, service: 'sqs' | 'dynamodb'): Promise<Mapping> {
  const isWanted = (mapping: Mapping) => mapping.FunctionArn.split(':').includes(functionName) && isFrom(service, mapping);
  const found = (await allMappings()).find(isWanted);
  if (found === undefined) throw new Error(`no ${service} mapping delivers to ${functionName}`);
  return found;
}

export const createMapping = async (mapping: Readonly<Record<string, unknown>>): Promise<Mapping> =>
  (await request('POST', '/event-source-mappings/', mapping)) as Mapping;

export const deleteMapping = async (uuid: string): Promise<void> => {
  await request('DELETE', `/event-source-mappings/${uuid}`);
};

/** Nothing is delivered to the function while `run` goes on; what is waiting afterwards is received in whole batches. */
export async function whileNobodyReceives<Answer>(functionName: string, run: () => Promise<Answer>): Promise<Answer> {
  const { UUID } = await mappingOf(functionName, 'sqs');
  await request('PUT', `/event-source-mappings/${UUID}`, { Enabled: false });
  try {
    return await run();
  } finally {
    await request('PUT', `/event-source-mappings/${UUID}`, { Enabled: true });
  }
}

async function request(method: string, path: string, body?: unknown): Promise<unknown> {
  const init = { method, headers, signal: AbortSignal.timeout(15_000), ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`${API}${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 300)}`);
  return text === '' ? undefined : JSON.parse(text);
}
