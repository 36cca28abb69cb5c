import type { Item } from './attribute.ts';
import { itemBytes } from './item-size.ts';

/** One record as an event source mapping hands it to a function. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventVersion: '1.1';
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly userIdentity?: object;
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Item;
    readonly OldImage?: Item;
    readonly NewImage?: Item;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: 'NEW_AND_OLD_IMAGES';
  };
}
export interface Change {
  readonly keys: Item;
  readonly old: Item | undefined;
  readonly next: Item | undefined;
  readonly userIdentity?: object | undefined;
}
export interface Stream {
  readonly records: readonly StreamRecord[];
  append(change: Change): void;
}

/** What the service writes on the records of its own time-to-live deletes. */
export const TIME_TO_LIVE_IDENTITY = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

export function createStream(definition: { readonly TableName: string }, now: () => number): Stream {
  const records: StreamRecord[] = [];
  const eventSourceARN = `arn:aws:dynamodb:us-east-1:000000000000:table/${definition.TableName}/stream/2026-01-01T00:00:00.000`;
  return {
    records,
    append({ keys, old, next, userIdentity }) {
      const sequence = records.length + 1;
      records.push({
        eventID: sequence.toString(16).padStart(32, '0'),
        eventName: old ? (next ? 'MODIFY' : 'REMOVE') : 'INSERT',
        eventVersion: '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: 'us-east-1',
        eventSourceARN,
        ...(userIdentity && { userIdentity }),
        dynamodb: {
          ApproximateCreationDateTime: Math.floor(now() / 1000),
          Keys: keys,
          ...(old && { OldImage: old }),
          ...(next && { NewImage: next }),
          SequenceNumber: String(sequence).padStart(21, '0'),
          SizeBytes: [keys, old, next].reduce((sum, image) => sum + (image ? itemBytes(image) : 0), 0),
          StreamViewType: 'NEW_AND_OLD_IMAGES',
        },
      });
    },
  };
}
