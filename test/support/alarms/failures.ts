import { TABLES } from '../../simulation/cloud/names.ts';
import type { Fault, FaultPlan } from '../../simulation/network/fault.ts';
import { adjustStock, callApi, createOrder, exportOrders, keepAsking, readOrder } from '../../simulation/scenario/api.ts';
import type { Story } from '../../simulation/scenario/story.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { urlOf } from '../fake-aws/sqs/queue.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** One kind of trouble that lasts, and what goes on meanwhile. */
export interface Failure {
  readonly name: string;
  readonly lastsMs: number;
  /** What goes wrong at a point of this name; left out: nothing. */
  readonly strikes?: readonly [RegExp, Fault];
  /** So long new customers come; left out: twenty minutes. */
  readonly customersMs?: number;
  /** On top of the customers. */
  readonly also?: (simulation: Simulation) => void;
  /** Nobody deals with the letters for so long. */
  readonly ignoredMs?: number;
}

const KIND_BY_FUNCTION = 'execute-job/';
const everyFewSeconds = (simulation: Simulation, everyMs: number, forMs: number, act: (number: number) => void): void => {
  for (let number = 1; number * everyMs <= forMs; number++) simulation.world.after(number * everyMs, () => act(number));
};

/** A customer every twenty seconds, who pays and looks; some stock and an export on the side. */
function customers(simulation: Simulation, forMs: number): void {
  everyFewSeconds(simulation, 20_000, forMs, (number) => {
    const userId = `u-${number}`;
    const order = createOrder(userId, `order-${number}`, { amountMinor: 1_000 + number, currency: 'EUR' });
    keepAsking(simulation, order, {
      untilMs: simulation.world.nowMs + 10 * MINUTE_MS,
      whenAnswered: ({ statusCode, body }) => {
        if (statusCode >= 400) return;
        const { orderId } = JSON.parse(body) as { orderId: string };
        for (const afterMs of [3_000, 4_000])
          simulation.world.after(afterMs, () => callApi(simulation, readOrder(userId, orderId), () => undefined));
      },
    });
  });
  everyFewSeconds(simulation, 2 * MINUTE_MS, forMs, (number) => keepAsking(simulation, adjustStock('sku-1', `adjustment-${number}`, 1)));
  keepAsking(simulation, exportOrders('u-1', 'export-1'));
}

/** A job as code of tomorrow would write it. */
function newerMessages({ sqs, mappings }: Simulation): void {
  const message = {
    kind: 'send-receipt',
    version: 99,
    idempotencyKey: 'receipt:u-1/ord-1:1',
    payload: {},
    enqueuedAt: '2026-11-30T10:00:00.000Z',
  };
  sqs.handle('SendMessage', { QueueUrl: urlOf('send-receipt'), MessageBody: JSON.stringify(message) });
  mappings.get('send-receipt')?.poke();
}

/** More exports than two workers that stand still can take. */
const manyExports = (simulation: Simulation): void =>
  everyFewSeconds(simulation, 20_000, 40 * MINUTE_MS, (number) => keepAsking(simulation, exportOrders(`u-${number}`, `export-${number}`)));

/** The streams lose the jobs of the first ten minutes, and somebody has put an order into the table by hand. */
function lostAndUnreadable({ streams, world, dynamodb }: Simulation): void {
  for (const stream of streams) stream.lostUntilMs = world.nowMs + 10 * MINUTE_MS;
  dynamodb.handle('PutItem', {
    TableName: TABLES.state,
    Item: { pk: { S: 'USER#u-9' }, sk: { S: 'ORDER#by-hand' }, lease: { S: 'free' } },
  });
}

/** Somebody puts a value into the cache that the table does not know. */
function cachedByHand({ dynamodb, world }: Simulation): void {
  const expiresAtMs = world.nowMs + DAY_MS;
  dynamodb.handle('PutItem', {
    TableName: TABLES.cache,
    Item: {
      key: { S: 'order:u-9/by-hand' },
      value: { S: '{}' },
      version: { N: '3' },
      expiresAtMs: { N: String(expiresAtMs) },
      expiresAt: { N: String(Math.ceil(expiresAtMs / 1000)) },
    },
  });
}

/** Each is what somebody should be told of in a way of its own. The names of points are those of the simulator's log. */
export const FAILURES: readonly Failure[] = [
  { name: 'nothing', lastsMs: 40 * MINUTE_MS },
  { name: 'the provider answers too late', lastsMs: 2 * HOUR_MS, strikes: [/ at the provider$/, 'slow'] },
  {
    name: 'the provider charges another amount',
    lastsMs: 40 * MINUTE_MS,
    strikes: [/ at the provider$/, 'wrong-amount'],
    ignoredMs: 5 * DAY_MS,
  },
  { name: 'no mail is taken', lastsMs: 2 * HOUR_MS, strikes: [/ Mail$/, 'throttled'] },
  { name: 'the queue delivers everything twice', lastsMs: 40 * MINUTE_MS, strikes: [/^mapping takes /, 'delivered-twice'] },
  {
    name: 'exports stand still',
    lastsMs: HOUR_MS,
    strikes: [new RegExp(`^${KIND_BY_FUNCTION}export-orders `), 'freeze-after'],
    also: manyExports,
  },
  { name: 'pauses and circuits cannot be read', lastsMs: 26 * HOUR_MS, customersMs: MINUTE_MS, strikes: [/ Control$/, 'throttled'] },
  { name: 'newer code writes', lastsMs: 2 * HOUR_MS, also: newerMessages },
  { name: 'streams do not deliver', lastsMs: 40 * MINUTE_MS, strikes: [/^stream delivers /, 'not-invoked'] },
  {
    name: 'queues take no job',
    lastsMs: 2 * HOUR_MS,
    strikes: [/^(?:dispatch|retry)-outbox SendMessageBatch (?!outbox-failed)/, 'entry-failed'],
  },
  { name: 'the cache is down', lastsMs: HOUR_MS, strikes: [/ Cache$/, 'throttled'] },
  { name: 'the cache holds what the table does not', lastsMs: 2 * HOUR_MS, customersMs: 2 * HOUR_MS, also: cachedByHand },
  { name: 'the schedules are switched off', lastsMs: 2 * HOUR_MS, also: ({ schedules }) => schedules.stop() },
  { name: 'jobs are lost and an item cannot be read', lastsMs: 15 * HOUR_MS, also: lostAndUnreadable },
];

export const planOf = ({ strikes, lastsMs }: Failure, beginsAtMs: number): FaultPlan => ({
  at({ label, atMs }, possible) {
    if (strikes === undefined || atMs > beginsAtMs + lastsMs) return undefined;
    const [pattern, fault] = strikes;
    return pattern.test(label) ? possible.find((one) => one === fault) : undefined;
  },
});

export const storyOf = ({ name, lastsMs, customersMs = 20 * MINUTE_MS, also, ignoredMs = 0 }: Failure): Story => ({
  name,
  stormMs: lastsMs,
  keepsFaults: true,
  begin(simulation) {
    customers(simulation, customersMs);
    also?.(simulation);
  },
  async settle(_simulation, pass) {
    if (ignoredMs > 0) await pass(ignoredMs);
  },
});
