import { BatchGetItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { askTogether, type Gather } from '#shared/control/ask-together.ts';
import { fromAttributeValues, toAttributeValues } from './attribute-values.ts';

/** As many as one BatchGetItem takes. */
const MAX_KEYS = 100;

type Item = Readonly<Record<string, unknown>> | undefined;

/**
 * Strongly consistent reads by key. What is asked for together travels as one request, for a worker looks at pause, breaker and
 * `askFirst` at a time; the read units are the same, and they fail together.
 *
 * @param gather how long others are waited for; left out, one turn of the event loop
 */
export function createTogetherReader<Key extends object>(client: DynamoDBClient, tableName: string, gather?: Gather) {
  const one = async (key: Key): Promise<Item> => {
    const request = { TableName: tableName, Key: toAttributeValues({ ...key } as Record<string, unknown>), ConsistentRead: true };
    const { Item: item } = await client.send(new GetItemCommand(request));
    return item === undefined ? undefined : fromAttributeValues(item);
  };
  const together = async (keys: readonly Key[], nameOf: (item: Partial<Key>) => string): Promise<Map<string, Item | Promise<Item>>> => {
    const Keys = keys.map((key) => toAttributeValues({ ...key } as Record<string, unknown>));
    const answer = await client.send(new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } }));
    const items = (answer.Responses?.[tableName] ?? []).map(fromAttributeValues);
    const found = new Map<string, Item | Promise<Item>>(items.map((item) => [nameOf(item as Partial<Key>), item]));
    // DynamoDB answers in part when it is short of throughput, or when the items are large.
    for (const key of (answer.UnprocessedKeys?.[tableName]?.Keys ?? []).map(fromAttributeValues) as Key[]) found.set(nameOf(key), one(key));
    return found;
  };
  return askTogether<Key, Item>({
    most: MAX_KEYS,
    ...(gather === undefined ? {} : { gather }),
    async run(keys) {
      const [first] = keys;
      if (first === undefined) return [];
      const names = Object.keys(first) as (keyof Key)[];
      const nameOf = (item: Partial<Key>): string => JSON.stringify(names.map((name) => item[name]));
      const different = new Map(keys.map((key) => [nameOf(key), key]));
      const found = different.size === 1 ? new Map([[nameOf(first), one(first)]]) : await together([...different.values()], nameOf);
      return keys.map((key) => found.get(nameOf(key)));
    },
  });
}
