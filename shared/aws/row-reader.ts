import { BatchGetItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { ControlRow } from '#shared/control/control-store.ts';
import { fromAttributeValues, toAttributeValues } from './attribute-values.ts';

/** As many as one BatchGetItem takes. */
const MAX_KEYS = 100;

type Row = ControlRow | undefined;

/**
 * Strongly consistent reads of rows by id. Those asked for in one turn of the event loop travel as one request, for a worker looks at
 * pause, breaker and `askFirst` together; they cost the same read units, and fail together.
 */
export function createRowReader(client: DynamoDBClient, tableName: string): (id: string) => Promise<Row> {
  let asked: Map<string, PromiseWithResolvers<Row>> | undefined;
  const one = async (id: string): Promise<Row> => {
    const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key: toAttributeValues({ id }), ConsistentRead: true }));
    return Item === undefined ? undefined : fromAttributeValues(Item);
  };
  const together = async (ids: readonly string[]): Promise<Map<string, Promise<Row>>> => {
    const Keys = ids.map((id) => toAttributeValues({ id }));
    const answer = await client.send(new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } }));
    const rows = new Map<string, Promise<Row>>(ids.map((id) => [id, Promise.resolve(undefined)]));
    for (const item of answer.Responses?.[tableName] ?? []) {
      const row = fromAttributeValues(item);
      rows.set(String(row['id']), Promise.resolve(row));
    }
    // DynamoDB answers in part when it is short of throughput.
    for (const { id } of answer.UnprocessedKeys?.[tableName]?.Keys?.map(fromAttributeValues) ?? []) rows.set(String(id), one(String(id)));
    return rows;
  };
  const send = (waiting: ReadonlyMap<string, PromiseWithResolvers<Row>>): void => {
    const ids = [...waiting.keys()];
    const rows = ids.length === 1 ? undefined : together(ids);
    for (const [id, { resolve }] of waiting) resolve(rows === undefined ? one(id) : rows.then((found) => found.get(id)));
  };
  return (id) => {
    if (asked === undefined || asked.size === MAX_KEYS) {
      const waiting = new Map<string, PromiseWithResolvers<Row>>();
      asked = waiting;
      queueMicrotask(() => {
        if (asked === waiting) asked = undefined;
        send(waiting);
      });
    }
    const known = asked.get(id);
    if (known !== undefined) return known.promise;
    const own = Promise.withResolvers<Row>();
    asked.set(id, own);
    return own.promise;
  };
}
