import { jobPartitions, STOCK_PREFIX, USER_PREFIX } from '#shared/contract/item-keys.ts';
import { jobs } from '#shared/jobs/index.ts';
import type { System } from '#shared/runtime/system.ts';
import { TABLES } from '../simulation/cloud/names.ts';
import { restCallOf, type SdkRequest } from '../simulation/network/rest-call.ts';
import { run } from '../simulation/run.ts';
import { manyUsers } from '../simulation/scenario/many-users.ts';
import type { Story } from '../simulation/scenario/story.ts';
import type { IamMatrix } from './iam-matrix.ts';

/**
 * The calls that functions made in simulated runs, as the rights they need: function → action → resource.
 *
 * Does not protect against calls that only a path these seeds do not take makes; test/infra/iam.test.ts wants every grant used.
 */
export async function seenCalls(runs: readonly { readonly seed: number; readonly story: Story }[]): Promise<IamMatrix> {
  const seen: Record<string, Record<string, Set<string>>> = {};
  const note = (who: string, [action, resource]: readonly [string, string]): void => {
    seen[who] ??= {};
    seen[who][action] ??= new Set();
    seen[who][action].add(resource);
  };
  for (const { seed, story } of runs) {
    const watched: Story = {
      ...story,
      begin: (simulation) => story.begin(simulation),
      adaptSystem: (_, system, { name }) =>
        watchedSystem(system, (request) => rightsFor(request).forEach((right) => note(functionOf(name), right))),
    };
    await run({ seed, story: watched, invariants: [] });
  }
  return Object.fromEntries(
    Object.entries(seen).map(([who, actions]) => [
      who,
      Object.fromEntries(Object.entries(actions).map(([name, set]) => [name, [...set].sort()])),
    ]),
  );
}

export const stormOf = (stormMs: number): Story => manyUsers({ stormMs });

const functionOf = (process: string): string => process.replace(/[#~ ].*$/, '');

function watchedSystem(system: System, seen: (request: SdkRequest) => void): System {
  const create = system.sdk.createRequestHandler!;
  const createRequestHandler: typeof create = (limits) => {
    const inner = create(limits) as unknown as { handle(request: SdkRequest, options: unknown): unknown };
    const handle = (request: SdkRequest, options: unknown) => {
      seen(request);
      return inner.handle(request, options);
    };
    return { ...inner, handle } as unknown as ReturnType<typeof create>;
  };
  return { ...system, sdk: { ...system.sdk, createRequestHandler } };
}

/** The right on each resource that a request needs, by the names IAM has for them. */
function rightsFor(request: SdkRequest): (readonly [string, string])[] {
  const [service = '', operation = ''] = (request.headers['x-amz-target'] ?? '').split('.');
  if (service === '') return [rightForRest(request)];
  const input = JSON.parse(textOf(request.body));
  if (service === 'AmazonSQS') return [[`sqs:${operation.replace(/Batch$/, '')}`, String(input.QueueUrl).split('/').at(-1) ?? '']];
  if (operation === 'BatchGetItem') return Object.keys(input.RequestItems).map((table) => ['dynamodb:BatchGetItem', table] as const);
  if (operation !== 'TransactWriteItems') return [[`dynamodb:${operation}`, itemsOf(input)]];
  return input.TransactItems.map((item: Record<string, TableInput>) => {
    const [[kind, write] = ['', {} as TableInput]] = Object.entries(item);
    return [`dynamodb:${kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`}`, itemsOf(write)] as const;
  });
}

interface TableInput {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly Key?: { readonly pk?: { readonly S: string } };
  readonly Item?: TableInput['Key'];
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
}

/** The table, and of the State table also how the partition begins, which is what grants tell apart. */
function itemsOf({ TableName, IndexName, Key, Item, ExpressionAttributeValues = {} }: TableInput): string {
  if (IndexName !== undefined) return `${TableName}/index/${IndexName}`;
  if (TableName !== TABLES.state) return TableName;
  const partition = Key?.pk?.S ?? Item?.pk?.S ?? Object.values(ExpressionAttributeValues)[0]?.S;
  const prefix = PARTITIONS.find((one) => partition?.startsWith(one));
  return prefix === undefined ? TableName : `${TableName} ${prefix}*`;
}

const PARTITIONS = [USER_PREFIX, STOCK_PREFIX, ...jobs.map(({ kind }) => jobPartitions(kind))];

/** Never by the SDK's own text methods, which warn. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  const { buffer, byteOffset, byteLength } = body as Uint8Array<ArrayBuffer>;
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

/** One right for all parts of an upload. */
const UPLOADS = ['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload'];

function rightForRest(request: SdkRequest): readonly [string, string] {
  const { service, operation, subject, path } = restCallOf(request);
  if (service === 'lambda') return [`lambda:${operation}`, subject];
  return [`s3:${UPLOADS.includes(operation) ? 'PutObject' : operation}`, /^\/exports\/exports\//.test(path) ? 'exports/exports/*' : path];
}
