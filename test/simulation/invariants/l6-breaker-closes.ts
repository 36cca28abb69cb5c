import { fromAttributeValues } from '#shared/aws/attribute-values.ts';
import { breakerRow, pauseRow } from '#shared/control/rows.ts';
import type { JobQueueDefinition } from '../cloud/functions.ts';
import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { Simulation } from '../simulation.ts';

/** A circuit lets somebody try after five minutes at most, by clocks that are as far apart. */
const LONGEST_OPEN_MS = 10 * 60_000;

/**
 * A circuit closes by a call that is answered. Where nobody has anything to call for, it stays as it is and stops nobody: the next
 * job finds that it may try.
 */
export const breakerCloses: Invariant = {
  id: 'L6',
  promise: 'once the faults stop no job waits behind a circuit, none is closed to the next call, and every queue is consumed',
  watch(simulation, violate) {
    const look = (): void => {
      for (const queue of simulation.jobQueues) {
        const { definition, queueName } = queue;
        const mapping = simulation.mappings.get(queueName);
        if (control(simulation, pauseRow(definition.kind)) !== undefined) continue;
        if (mapping?.enabled === false) violate(`${queueName} is not consumed`);
        const how = shutFor(simulation, queue);
        if (how !== undefined) violate(`${queueName}: ${how}`);
      }
    };
    return { rested: look, finished: look };
  },
};

function shutFor(simulation: Simulation, { definition: { dependency }, queueName }: JobQueueDefinition): string | undefined {
  const row = dependency === undefined ? undefined : control(simulation, breakerRow(dependency));
  if (row === undefined || row['state'] === 'closing') return undefined;
  const waiting = simulation.sqs.messages(queueName).length;
  if (waiting > 0) return `${waiting} messages wait behind a circuit that is ${row['state']}`;
  const untilMs = Math.max(Number(row['retryAtMs'] ?? 0), Number(row['probeUntilMs'] ?? 0));
  if (untilMs - simulation.world.nowMs > LONGEST_OPEN_MS) return `its circuit lets nobody try before ${new Date(untilMs).toISOString()}`;
  simulation.happened('a circuit nobody has tried since');
  return undefined;
}

function control({ dynamodb }: Simulation, id: string): Readonly<Record<string, unknown>> | undefined {
  const item = dynamodb.item(TABLES.control, { id: { S: id } });
  return item && fromAttributeValues(item as never);
}
