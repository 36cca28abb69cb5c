import type { Call } from '../../support/fake-aws/wire.ts';

/** The name of a request in words that are the same in every run: which write of the protocol, which queue. */
export function labelOf(who: string, { service, operation, input }: Call): string {
  if (service === 'sqs') return `${who} ${operation} ${nameOfQueue(String(input.QueueUrl))}`;
  if (operation === 'TransactWriteItems') return `${who} ${writeOf(input.TransactItems[0]?.Update ?? {})} in a transaction`;
  if (operation === 'BatchGetItem') return `${who} ${operation} ${Object.keys(input.RequestItems).join(' ')}`;
  if (input.TableName !== 'State') return `${who} ${operation} ${input.TableName}`;
  if (operation === 'PutItem') return `${who} accept State`;
  return `${who} ${operation === 'UpdateItem' ? writeOf(input) : operation} State`;
}

export const nameOfQueue = (url: string): string => url.split('/').at(-1) ?? '';

interface UpdateInput {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, Value>>;
}
interface Value {
  readonly S?: string;
  readonly M?: Readonly<Record<string, Value>>;
}

/** Which write of the one-item protocol an update is. */
export function writeOf({ ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: UpdateInput): string {
  const named = Object.values(names);
  const given = Object.values(values);
  const status = given.map((value) => value.M?.['status']?.S).find((text) => text === 'completed' || text === 'discarded');
  const has = (prefix: string): boolean => named.some((name) => name.startsWith(prefix));
  if (given.some((value) => value.S === 'held')) return 'claim';
  if (has('buried')) return 'bury';
  if (status !== undefined) return status === 'completed' ? 'commit' : 'discard';
  if (has('req:')) return 'request';
  if (has('outboxAtMs')) return 'open';
  if (has('due:') && has('leaseOwner')) return 'settle';
  if (has('op:')) return 'rearm';
  if (has('leaseOwner')) return 'extend';
  return has('overdueAtMs') ? 'mark' : 'also';
}
