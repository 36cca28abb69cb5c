import { CreateTableCommand, DeleteTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { onTestFinished } from 'vitest';
import { dynamodb } from './aws-clients.ts';
import { uniqueName } from './names.ts';

export interface OwnTable {
  readonly name: string;
  readonly streamArn: string;
}

/** A State table no function listens to, gone when the test is: what happens on it is the test's doing alone. */
export async function createOwnStateTable(): Promise<OwnTable> {
  const TableName = uniqueName('State');
  await dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
        { AttributeName: 'overdueShard', AttributeType: 'S' },
        { AttributeName: 'overdueAtMs', AttributeType: 'N' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'overdue',
          KeySchema: [
            { AttributeName: 'overdueShard', KeyType: 'HASH' },
            { AttributeName: 'overdueAtMs', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  onTestFinished(async () => {
    await dynamodb.send(new DeleteTableCommand({ TableName }));
  });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  return { name: TableName, streamArn: Table?.LatestStreamArn ?? '' };
}
