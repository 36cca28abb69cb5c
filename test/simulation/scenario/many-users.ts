import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { canaryNote } from '../invariants/canaries.ts';
import type { Chance } from '../kernel/chance.ts';
import { noFaults } from '../network/fault.ts';
import type { Simulation } from '../simulation.ts';
import { type ApiRequest, adjustStock, askFor, callApi, createOrder, exportOrders, keepAsking, readOrder, readSummary } from './api.ts';
import { disturb, TABLE_WAS_PUT_BACK } from './disturbances.ts';
import { KILLER_AMOUNT, killingCalls } from './killer-orders.ts';
import { settleLetters } from './settle-letters.ts';
import type { Story } from './story.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const USERS = ['u-1', 'u-2'] as const;

interface Placed {
  readonly userId: string;
  readonly orderId: string;
}

/** Orders of several users with everything customers do: pay, pay again, ask for their money back, look, send twice, use a key twice. */
export function manyUsers({ stormMs }: { readonly stormMs: number }): Story {
  let mended = false;
  /** What customers asked for, in their order; after a restore they ask once more. */
  const asked: ApiRequest[] = [];
  return {
    name: 'many-users',
    stormMs,
    begin(simulation) {
      const { chance } = simulation.world;
      const placed: Placed[] = [];
      const orders = chance.whole(1, 3);
      for (let number = 1; number <= orders; number++) placeOrder(simulation, { number, stormMs, placed, asked });
      for (let bursts = chance.whole(0, 3); bursts > 0; bursts--)
        readBurst(simulation, placed, chance.between(0, Math.min(stormMs, 8 * MINUTE_MS)));
      if (chance.happens(0.2)) adjustSomeStock(simulation, stormMs);
      if (chance.happens(0.12)) keepAsking(simulation, exportOrders(chance.pick(USERS), 'export-1'), { untilMs: stormMs });
      if (simulation.faults.plan !== noFaults) disturb(simulation, stormMs);
    },
    adaptSystem: (simulation, system, process) => killingCalls(simulation, system, process, () => mended),
    async settle(simulation, pass) {
      // The code is mended first, or its letters would only come back.
      mended = true;
      if (simulation.situations[TABLE_WAS_PUT_BACK] !== undefined) await askAgain(simulation, asked, pass);
      await settleLetters(simulation, pass, { mostRounds: 4, replaying: () => simulation.world.chance.happens(0.85) });
    },
  };
}

interface Placing {
  readonly number: number;
  readonly stormMs: number;
  readonly placed: Placed[];
  readonly asked: ApiRequest[];
}

/** The last step after a restore (docs/restore.md): the same requests under the same keys, so that what was forgotten is known again. */
async function askAgain(simulation: Simulation, asked: readonly ApiRequest[], pass: (durationMs: number) => Promise<void>): Promise<void> {
  for (const request of asked) {
    keepAsking(simulation, request);
    await pass(HOUR_MS);
  }
}

function placeOrder(simulation: Simulation, { number, stormMs, placed, asked }: Placing): void {
  const { world } = simulation;
  const { chance } = world;
  const userId = chance.pick(USERS);
  const body = {
    amountMinor: drawAmount(chance, number),
    currency: 'EUR',
    note: canaryNote(number),
    ...(chance.happens(0.15) ? { retryDeclined: true } : {}),
  };
  const request = createOrder(userId, `order-${number}`, body);
  const askedAtMs = chance.between(0, Math.min(stormMs / 2, 5 * MINUTE_MS));
  const refunds = [0, 1].filter(() => chance.happens(0.35)).map(() => chance.between(MINUTE_MS / 2, stormMs));
  const again = chance.happens(0.6) ? chance.between(MINUTE_MS, stormMs) : undefined;
  world.after(askedAtMs, () =>
    keepAsking(simulation, request, {
      whenAnswered({ statusCode, body: text }) {
        if (statusCode >= 400) return;
        const order = { userId, orderId: (JSON.parse(text) as { orderId: string }).orderId };
        placed.push(order);
        asked.push(request);
        refunds.forEach(
          (afterMs, index) =>
            void world.after(afterMs, () =>
              wish(simulation, asked, askFor('accept-refund', userId, order.orderId, `refund-${number}-${index}`)),
            ),
        );
        if (again !== undefined)
          world.after(again, () => wish(simulation, asked, askFor('accept-payment-attempt', userId, order.orderId, `again-${number}`)));
        readSoon(simulation, order);
      },
    }),
  );
  if (chance.happens(0.2)) world.after(askedAtMs + chance.between(0, 500), () => callApi(simulation, request, () => undefined));
  if (chance.happens(0.1)) {
    const other = { ...request, body: { ...body, amountMinor: body.amountMinor + 1 } };
    world.after(askedAtMs + chance.between(2_000, 60_000), () => callApi(simulation, other, () => undefined));
  }
}

function drawAmount(chance: Chance, number: number): number {
  if (chance.happens(0.04)) return KILLER_AMOUNT;
  return chance.happens(0.35) ? chance.pick(Object.values(MAGIC_AMOUNTS)).amountMinor : 1_000 * number;
}

/** Customers give up asking after a while; a refusal because of the order's state may pass. */
function wish(simulation: Simulation, asked: ApiRequest[], request: ApiRequest): void {
  asked.push(request);
  keepAsking(simulation, request, { untilMs: simulation.world.nowMs + 6 * HOUR_MS, pauseMs: 10 * MINUTE_MS });
}

/** A customer looks right after paying: reads that overlap commits are what a cache gets wrong. */
function readSoon(simulation: Simulation, { userId, orderId }: Placed): void {
  const { world } = simulation;
  for (let reads = world.chance.whole(0, 4); reads > 0; reads--) {
    const request = world.chance.happens(0.6) ? readOrder(userId, orderId) : readSummary(userId);
    world.after(world.chance.between(0, 12_000), () => callApi(simulation, request, () => undefined));
  }
}

function readBurst(simulation: Simulation, placed: readonly Placed[], afterMs: number): void {
  const { world } = simulation;
  for (let reads = 0; reads < 3; reads++) {
    world.after(afterMs + world.chance.between(0, 3_000), () => {
      if (placed.length === 0) return;
      const { userId, orderId } = world.chance.pick(placed);
      callApi(simulation, world.chance.happens(0.5) ? readOrder(userId, orderId) : readSummary(userId), () => undefined);
    });
  }
}

function adjustSomeStock(simulation: Simulation, stormMs: number): void {
  const { world } = simulation;
  for (let count = world.chance.whole(1, 3); count > 0; count--) {
    const request = adjustStock('sku-1', `adjustment-${count}`, count === 1 ? 5 : -1);
    world.after(world.chance.between(0, Math.min(stormMs, 5 * MINUTE_MS)), () => keepAsking(simulation, request));
  }
}
