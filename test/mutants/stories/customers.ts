import { createOrder, keepAsking } from '../../simulation/scenario/api.ts';
import type { Simulation } from '../../simulation/simulation.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

export interface Placed {
  readonly userId: string;
  readonly orderId: string;
}

export interface Placing {
  readonly number: number;
  readonly userId?: string;
  readonly amountMinor?: number;
  readonly retryDeclined?: boolean;
}

/** A customer orders, and asks until it is known. */
export function place(simulation: Simulation, placing: Placing, whenPlaced: (order: Placed) => void = () => undefined): void {
  const { number, userId = 'u-1', amountMinor = 1_000 * number, retryDeclined = false } = placing;
  const body = { amountMinor, currency: 'EUR', note: `canary-note-${number}`, ...(retryDeclined ? { retryDeclined } : {}) };
  keepAsking(simulation, createOrder(userId, `order-${number}`, body), {
    whenAnswered({ statusCode, body: text }) {
      if (statusCode < 400) whenPlaced({ userId, orderId: (JSON.parse(text) as { orderId: string }).orderId });
    },
  });
}

export function placeMany(simulation: Simulation, orders: number, spreadMs: number, amountMinor?: number): void {
  for (let number = 1; number <= orders; number++) {
    const placing = { number, userId: `u-${number % 5}`, ...(amountMinor === undefined ? {} : { amountMinor }) };
    simulation.world.after(simulation.world.chance.between(0, spreadMs), () => place(simulation, placing));
  }
}
