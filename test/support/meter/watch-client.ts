import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Bill } from '../../../cli/cost/bill.ts';
import type { Item } from '../fake-aws/dynamodb/attribute.ts';
import { readUnits, unitsOfWrite } from '../fake-aws/dynamodb/capacity.ts';
import { itemBytes } from '../fake-aws/dynamodb/item-size.ts';
import type { Meter } from './meter.ts';

type Attributes = Record<string, AttributeValue>;
interface Exchange {
  readonly input: { readonly TableName: string; readonly Item?: Attributes; readonly ConsistentRead?: boolean };
  readonly output: { readonly Attributes?: Attributes; readonly Item?: Attributes; readonly Items?: readonly Attributes[] };
}

const WRITES = new Set(['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand']);
const READS = new Set(['GetItemCommand', 'QueryCommand', 'ScanCommand']);

const bytesOf = (items: readonly (Attributes | undefined)[]): number =>
  items.reduce((bytes, item) => bytes + (item === undefined ? 0 : itemBytes(item as Item)), 0);

/**
 * Counts what one client's calls cost where no state machine of ours tells: from the bytes of the items in requests and answers,
 * because emulators under-report.
 *
 * Does not protect against transactions, index writes, and updates that do not ask for the item back (`ALL_NEW`, and `ALL_OLD` on
 * refusal): their bytes are in no answer.
 */
export function watchClient(meter: Meter, client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const { commandName = '' } = context as { readonly commandName?: string };
      const { input } = args as unknown as Exchange;
      try {
        const result = await next(args);
        meter.add(used(commandName, { input, output: result.output as Exchange['output'] }));
        return result;
      } catch (error) {
        if (error instanceof Error && error.name === 'ConditionalCheckFailedException') meter.add(refused(input, error));
        throw error;
      }
    },
    { step: 'initialize', name: 'meter' },
  );
  client.middlewareStack.add(
    (next) => (args) => {
      const { input } = args as unknown as Exchange;
      meter.add({ tables: { [input.TableName]: { read: 0, write: 0, requests: 1 } } });
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'roundTripMeter' },
  );
}

function used(command: string, { input: { TableName, Item, ConsistentRead = false }, output }: Exchange): Partial<Bill> {
  const write = WRITES.has(command) ? unitsOfWrite(bytesOf([Item ?? output.Attributes])) : 0;
  const read = READS.has(command) ? readUnits(bytesOf([output.Item, ...(output.Items ?? [])]), ConsistentRead) : 0;
  return { tables: { [TableName]: { read, write, requests: 0 } } };
}

const refused = ({ TableName }: Exchange['input'], error: Error): Partial<Bill> => ({
  tables: { [TableName]: { read: 0, write: unitsOfWrite(bytesOf([(error as { Item?: Attributes }).Item])), requests: 0 } },
  refusedWrites: 1,
});
