import type { ItemWrite } from '#shared/item/expression.ts';
import { toAttributeValues } from './attribute-values.ts';

/** A write's condition as a request carries it, alone or in a transaction: refused, it returns the item that refused it. */
export const conditionOf = (tableName: string, write: ItemWrite) =>
  ({
    TableName: tableName,
    ConditionExpression: write.condition,
    ExpressionAttributeNames: { ...write.names },
    ...(Object.keys(write.values).length > 0 ? { ExpressionAttributeValues: toAttributeValues(write.values) } : {}),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }) as const;
