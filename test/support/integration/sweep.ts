import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { sweepRow } from '#shared/rescue/bookmarks.ts';
import { dynamodb, lambda } from './aws-clients.ts';
import { output } from './deployment.ts';

const SEGMENTS = 4;

/** The next day's sweep: today's bookmarks are taken out first. */
export async function sweepAnew(): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const Key = toAttributeValues({ id: sweepRow(day, segment) });
    await dynamodb.send(new DeleteItemCommand({ TableName: output(STACK_OUTPUTS.controlTable), Key }));
  }
  await invokeLater(output(STACK_OUTPUTS.sweepStateFunction));
}

/** As a schedule does: nobody waits for the answer. */
export const invokeLater = (FunctionName: string) => lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event' }));
