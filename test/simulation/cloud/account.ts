import type { Answer } from '../../support/fake-aws/aws-error.ts';
import type { FakeDynamodb, StreamRecord } from '../../support/fake-aws/fake-dynamodb.ts';
import type { FakeSqs } from '../../support/fake-aws/fake-sqs.ts';
import type { Call } from '../../support/fake-aws/wire.ts';
import type { Meter } from '../../support/meter/meter.ts';
import { usedOfObjects } from '../../support/meter/used-by-call.ts';
import { watchServices } from '../../support/meter/watch-services.ts';
import type { ObjectStore } from '../../support/object-store.ts';
import type { Signals } from '../kernel/signals.ts';
import type { World } from '../kernel/world.ts';
import type { AwsServices } from '../network/aws-requests.ts';
import { nameOfQueue } from '../network/labels.ts';
import type { Observer } from '../observer.ts';
import type { createMappingStates } from './mapping-states.ts';
import { TABLES } from './names.ts';
import { plainItem } from './plain-item.ts';
import type { QueueMapping } from './queue-mapping.ts';
import type { Schedules } from './schedules.ts';
import type { StreamMapping } from './stream-mapping.ts';

export interface ServicesParts {
  readonly world: World;
  readonly dynamodb: FakeDynamodb;
  readonly sqs: FakeSqs;
  readonly signals: Signals<Observer>;
  readonly mappings: ReadonlyMap<string, QueueMapping>;
  readonly streams: readonly StreamMapping[];
  readonly schedules: Schedules;
  readonly objects: ObjectStore;
  readonly mappingStates: ReturnType<typeof createMappingStates>;
  /** Counts what every request costs. */
  readonly meter?: Meter | undefined;
}

export interface Services extends AwsServices {
  /**
   * Tells of every change of a table since the last time.
   *
   * @param call that made the changes, and by whom; undefined for the service itself
   * @param unseen no consumer of the stream ever sees them: a restored table begins a new stream
   */
  announceWrites(call: Call | undefined, by: string | undefined, unseen?: boolean): void;
}

/** All services, and what each change there sets off: stream records, deliveries, scheduled runs, the watchers' attention. */
export function createServices(parts: ServicesParts): Services {
  const { dynamodb, sqs, signals, mappings, objects, mappingStates, meter } = parts;
  const watch = meter === undefined ? unwatched : watchServices(meter, dynamodb);
  const announceWrites = createAnnouncer(parts);
  return {
    announceWrites,
    apply(call, changesBehind, by): Answer {
      if (call.service === 'dynamodb') {
        const answer = watch(call, () => dynamodb.handle(call.operation, call.input, { changesBehind }));
        announceWrites(call, by);
        return answer;
      }
      const answer = watch(call, () => sqs.handle(call.operation, call.input));
      if (!('error' in answer)) signals.queueCalled(call, by);
      mappings.get(nameOfQueue(String(call.input.QueueUrl)))?.poke();
      return answer;
    },
    applyRest(call) {
      if (call.service !== 's3') return mappingStates.handle(call);
      meter?.add(usedOfObjects(call.method));
      return objects.handle(call);
    },
  };
}

const unwatched = (_call: Call, serve: () => Answer): Answer => serve();

/** Tells of every record that the tables' streams have gained since the last time. */
function createAnnouncer({ world, dynamodb, signals, streams, schedules }: ServicesParts) {
  const seen = new Map<string, number>();
  return (call: Call | undefined, by: string | undefined, unseen = false): void => {
    for (const table of Object.values(TABLES)) {
      const records = dynamodb.stream(table);
      for (let index = seen.get(table) ?? 0; index < records.length; index++) {
        const record = records[index] as StreamRecord;
        if (table === TABLES.state && !unseen) for (const stream of streams) stream.add(record);
        const { OldImage, NewImage } = record.dynamodb;
        const [old, next] = [OldImage && plainItem(OldImage), NewImage && plainItem(NewImage)];
        signals.itemWritten({ table, id: idOf(record), old, next, by, call, atMs: world.nowMs });
      }
      if ((seen.get(table) ?? 0) === records.length) continue;
      seen.set(table, records.length);
      schedules.poke(table);
    }
  };
}

/** Keys are text in every table. */
const idOf = ({ dynamodb: { Keys } }: StreamRecord): string =>
  Object.values(Keys)
    .map(({ S }) => S)
    .join('|');
