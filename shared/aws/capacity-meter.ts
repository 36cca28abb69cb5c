import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { itemSizeBytes } from './item-size.ts';

/** What one client's calls cost, counted from the bytes of the items; emulators under-report. */
export interface CapacityMeter {
  writeUnits: number;
  readUnits: number;
  /** Conditions that were refused; they are billed like the write they refused. */
  refusedWrites: number;
  /** Requests that left the SDK, its own retries included. */
  roundTrips: number;
}

type Item = Record<string, AttributeValue>;
interface Call {
  readonly input: { readonly Item?: Item; readonly ConsistentRead?: boolean };
  readonly output: { readonly Attributes?: Item; readonly Item?: Item; readonly Items?: readonly Item[] };
}

const WRITE_UNIT_BYTES = 1024;
const READ_UNIT_BYTES = 4096;
const WRITES = new Set(['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand']);
const READS = new Set(['GetItemCommand', 'QueryCommand', 'ScanCommand']);

const units = (bytes: number, unitBytes: number): number => Math.max(1, Math.ceil(bytes / unitBytes));
const sizeOf = (items: readonly (Item | undefined)[]): number =>
  items.reduce((bytes, item) => bytes + (item === undefined ? 0 : itemSizeBytes(item)), 0);

/**
 * Counts every single-item write and every read of a client. Updates must ask for the item back (`ALL_NEW`, and `ALL_OLD` on refusal).
 *
 * Does not protect against transactions and index writes: neither is on the path it is meant for.
 */
export function meterCapacity(client: DynamoDBClient): CapacityMeter {
  const meter: CapacityMeter = { writeUnits: 0, readUnits: 0, refusedWrites: 0, roundTrips: 0 };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const command = context.commandName ?? '';
      try {
        const result = await next(args);
        count(meter, command, { input: args.input, output: result.output } as Call);
        return result;
      } catch (error) {
        if (error instanceof Error && error.name === 'ConditionalCheckFailedException') {
          meter.refusedWrites++;
          meter.writeUnits += units(sizeOf([(error as { Item?: Item }).Item]), WRITE_UNIT_BYTES);
        }
        throw error;
      }
    },
    { step: 'initialize', name: 'capacityMeter' },
  );
  client.middlewareStack.add(
    (next) => (args) => {
      meter.roundTrips++;
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'roundTripMeter' },
  );
  return meter;
}

function count(meter: CapacityMeter, command: string, { input, output }: Call): void {
  if (WRITES.has(command)) meter.writeUnits += units(sizeOf([input.Item ?? output.Attributes]), WRITE_UNIT_BYTES);
  if (READS.has(command))
    meter.readUnits += units(sizeOf([output.Item, ...(output.Items ?? [])]), READ_UNIT_BYTES) * (input.ConsistentRead === true ? 1 : 0.5);
}
