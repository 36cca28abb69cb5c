import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { StateScan } from '#shared/rescue/sweep.ts';
import { fromAttributeValues, toAttributeValues } from './attribute-values.ts';

const PAGE_SIZE = 100;
const itemKey = z.object({ pk: z.string(), sk: z.string() });

/** Eventually consistent, at half the price: an item read as it was a moment ago at worst sends a job that is a duplicate. */
export const createStateScan = (client: DynamoDBClient, tableName: string): StateScan => ({
  async page(segment, segments, after) {
    const scan = new ScanCommand({
      TableName: tableName,
      Segment: segment,
      TotalSegments: segments,
      Limit: PAGE_SIZE,
      ReturnConsumedCapacity: 'TOTAL',
      ...(after === undefined ? {} : { ExclusiveStartKey: toAttributeValues({ ...after }) }),
    });
    const { Items = [], LastEvaluatedKey, ConsumedCapacity } = await client.send(scan);
    const next = LastEvaluatedKey === undefined ? undefined : itemKey.parse(fromAttributeValues(LastEvaluatedKey));
    return {
      items: Items.map(fromAttributeValues),
      readUnits: ConsumedCapacity?.CapacityUnits ?? 0,
      ...(next === undefined ? {} : { next }),
    };
  },
});
