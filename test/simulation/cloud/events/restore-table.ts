import { ASK_FIRST_ROW, pauseRow } from '#shared/control/rows.ts';
import type { Item, StreamRecord } from '../../../support/fake-aws/fake-dynamodb.ts';
import type { Simulation } from '../../simulation.ts';
import { TABLES } from '../names.ts';

export interface Restore {
  /** How long ago the table was still well, in milliseconds. Seconds are the finest that AWS restores to. */
  readonly agoMs: number;
  /**
   * `copied`: items are written back into the table that is there, and run through its stream. `replaced`: the stacks are deployed
   * on the restored table, which begins with an empty stream; what was still on its way in the old one is gone.
   */
  readonly how: 'copied' | 'replaced';
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * The State table goes back to what it was, by the steps of docs/restore.md: consumption stops, jobs are told to ask first, the
 * items are put back, consumption goes on. Customers keep ordering meanwhile.
 */
export async function restoreTable(simulation: Simulation, { agoMs, how }: Restore): Promise<void> {
  const { world, jobQueues, signals } = simulation;
  const toSeconds = Math.floor((world.nowMs - agoMs) / 1000);
  const kinds = jobQueues.map(({ definition }) => definition.kind);
  for (const kind of kinds)
    put(simulation, pauseRow(kind), { pausedAtMs: number(world.nowMs), by: text('operator'), reason: text('restore') });
  await world.sleep(world.chance.between(MINUTE_MS, 10 * MINUTE_MS));
  const untilMs = world.nowMs + 14 * DAY_MS;
  put(simulation, ASK_FIRST_ROW, { untilMs: number(untilMs), expiresAt: number(Math.ceil(untilMs / 1000)) });
  await world.sleep(world.chance.between(2_000, 5 * MINUTE_MS));
  world.log(`the table goes back to what it was ${Math.round(agoMs / 1000)} s before its loss, ${how}`);
  signals.disturbed('restore');
  if (how === 'replaced') for (const stream of simulation.streams) stream.forget();
  putBack(simulation, toSeconds);
  simulation.services.announceWrites(undefined, undefined, how === 'replaced');
  await world.sleep(world.chance.between(2_000, 5 * MINUTE_MS));
  for (const kind of kinds) act(simulation, 'DeleteItem', { Key: { id: text(pauseRow(kind)) } });
}

/** Every item that has changed since then becomes what it was; what did not exist goes. */
function putBack({ dynamodb }: Simulation, toSeconds: number): void {
  const changed = new Map<string, StreamRecord['dynamodb']>();
  for (const { dynamodb: change } of dynamodb.stream(TABLES.state)) {
    const id = JSON.stringify(change.Keys);
    if (change.ApproximateCreationDateTime > toSeconds && !changed.has(id)) changed.set(id, change);
  }
  for (const { Keys: Key, OldImage } of changed.values()) {
    if (OldImage === undefined) dynamodb.handle('DeleteItem', { TableName: TABLES.state, Key });
    else dynamodb.handle('PutItem', { TableName: TABLES.state, Item: OldImage });
  }
}

const text = (S: string) => ({ S });
const number = (value: number) => ({ N: String(Math.floor(value)) });

const put = (simulation: Simulation, id: string, row: Item): void => act(simulation, 'PutItem', { Item: { id: text(id), ...row } });

function act({ services }: Simulation, operation: string, input: object): void {
  services.apply({ service: 'dynamodb', operation, input: { TableName: TABLES.control, ...input } }, 0, 'operator');
}
