import type { FakeAccount } from './fake-account.ts';

/** A structured line as a function of the pipeline wrote it. */
export interface FakeLogLine {
  readonly functionName: string;
  readonly atMs: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

type Send = (status: number, headers: Record<string, string>, text: string) => void;
type Served = Pick<FakeAccount, 'logLines' | 'variables' | 'invoked' | 'item' | 'putItem'>;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Lambda, the example provider's books and the order API, as far as the command line asks them. @returns whether it was for one of them */
export function serveOthers(account: Served, asked: Asked, send: Send): boolean {
  const answer = lambda(account, asked) ?? books(asked) ?? orders(account, asked);
  if (answer === undefined) return false;
  send(answer.status ?? 200, JSON_TYPE, JSON.stringify(answer.document));
  return true;
}

interface Answer {
  readonly status?: number;
  readonly document: unknown;
}

function lambda({ variables, invoked, logLines }: Served, { path }: Asked): Answer | undefined {
  const [, version, resource, name = '', what] = path.split('/');
  if (version !== '2015-03-31') return undefined;
  if (resource === 'event-source-mappings') return { document: { UUID: name, State: 'Enabled' } };
  if (what === 'configuration') return { document: { FunctionName: name, Environment: { Variables: variables } } };
  invoked.push(name);
  // What the rescue says of itself when it had nothing to do.
  logLines.push({ functionName: name, atMs: Date.now(), fields: { message: 'rescued', items: { sent: 0 }, mappings: [] } });
  return { document: {} };
}

function books({ path }: Asked): Answer | undefined {
  if (path === '/captures') return { document: { captures: [], refunds: [] } };
  return /^\/payment-intents\/[^/]+\/requests$/.test(path) || path === '/captures/summary' ? { document: { items: [] } } : undefined;
}

/** Takes an order or tells one; the pipeline behind it is none of this. */
function orders({ item, putItem }: Served, { method, path, body }: Asked): Answer | undefined {
  const [, users, userId = '', orderPart, orderId = 'new-order'] = path.split('/');
  if (users !== 'users' || orderPart !== 'orders') return undefined;
  const key = { pk: `USER#${userId}`, sk: `ORDER#${orderId}` };
  if (method === 'POST')
    putItem({
      ...key,
      userId,
      orderId,
      status: 'pending_payment',
      version: 1,
      attempt: 1,
      lease: 'free',
      createdAtMs: Date.now(),
      ...JSON.parse(body),
    });
  const found = item(key.pk, key.sk);
  if (found === undefined) return { status: 404, document: { title: 'not found' } };
  return { status: method === 'POST' ? 202 : 200, document: found };
}

/** Plain words are looked for, as the tool asks for them. */
export function filterLogEvents({ logLines }: Pick<FakeAccount, 'logLines'>, body: string): string {
  const {
    logGroupName = '',
    filterPattern = '',
    startTime = 0,
  } = JSON.parse(body) as { logGroupName?: string; filterPattern?: string; startTime?: number };
  const word = filterPattern.replaceAll('"', '');
  const events = logLines
    .filter(({ functionName, atMs }) => logGroupName === `/aws/lambda/${functionName}` && atMs >= startTime)
    .map(({ atMs, fields }) => ({ timestamp: atMs, message: JSON.stringify(fields) }))
    .filter(({ message }) => message.includes(word));
  return JSON.stringify({ events });
}

export const stackResourcesXml = (functionNames: readonly string[]): string =>
  `<ListStackResourcesResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><ListStackResourcesResult><StackResourceSummaries>${functionNames
    .map(
      (name) =>
        `<member><LogicalResourceId>${name}</LogicalResourceId><PhysicalResourceId>${name}</PhysicalResourceId><ResourceType>AWS::Lambda::Function</ResourceType></member>`,
    )
    .join('')}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`;
