import type { Invariant } from '../invariant.ts';
import { type Image, idOf, recordOf, referenceOf } from '../invariants/item-views.ts';
import { stateImages } from '../invariants/promised-jobs.ts';
import type { FaultPlan } from '../network/fault.ts';
import type { ApiRequest } from '../scenario/api.ts';
import { adjustStock, askFor, createOrder, exportOrders, keepAsking, readOrder, readSummary } from '../scenario/api.ts';
import { actOnLetters } from '../scenario/operator.ts';
import type { Story } from '../scenario/story.ts';
import type { Simulation } from '../simulation.ts';
import { type FrozenClass, GOALS, type Goal } from './frozen-classes.ts';

const USER = 'u-1';
const ORDERS = 2;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FROZEN_HOURS = 4;

/** A run of a few customers, of whom each wants everything once, while one class of faults stays on; then it is lifted. */
export function frozenStory({ hours = FROZEN_HOURS, losesStreams = false }: FrozenClass): Story {
  const stormMs = hours * HOUR_MS;
  return {
    name: 'frozen',
    stormMs,
    begin(simulation) {
      const { world } = simulation;
      const insist = (afterMs: number, request: ApiRequest, answered: (body: string) => void = () => undefined): void =>
        void world.after(afterMs, () => insistOn(simulation, request, answered));
      if (losesStreams) for (const stream of simulation.streams) stream.lostUntilMs = world.nowMs + stormMs;
      for (let number = 1; number <= ORDERS; number++) {
        const order = createOrder(USER, `order-${number}`, { amountMinor: 1_000 * number, currency: 'EUR', note: `canary-note-${number}` });
        insist(number === 1 ? 0 : stormMs / 2, order, (body) => {
          const { orderId } = JSON.parse(body) as { orderId: string };
          if (number === 1) insist(stormMs / 12, askFor('accept-refund', USER, orderId, 'refund-1'));
          insist(stormMs / 240, readOrder(USER, orderId));
          insist(stormMs / 4, readSummary(USER));
        });
      }
      insist(stormMs / 48, exportOrders(USER, 'export-1'));
      insist(stormMs / 48, adjustStock('sku-1', 'adjustment-1', 5));
    },
    async settle(simulation, pass) {
      const work = actOnLetters(simulation, { replaying: () => true });
      for (let days = 0; !work.isDone && days < 4; days++) await pass(DAY_MS);
    },
  };
}

/** Asks until the answer is yes. */
function insistOn(simulation: Simulation, request: ApiRequest, answered: (body: string) => void): void {
  const again = (): void => insistOn(simulation, request, answered);
  keepAsking(simulation, request, {
    pauseMs: MINUTE_MS,
    patient: false,
    whenAnswered: ({ statusCode, body }) => {
      if (statusCode < 400) answered(body);
      else simulation.world.after(4 * MINUTE_MS, again);
    },
  });
}

export const frozenPlan = ({ strikes }: FrozenClass): FaultPlan => ({
  at({ label }, possible) {
    const wanted = strikes(label);
    return possible.find((fault) => fault === wanted);
  },
});

/** What a frozen class leaves alone is reached while it lasts, and everything is once it has lifted and people have dealt with the letters. */
export const goalsReached = ({ name, stops, expires = [] }: FrozenClass): Invariant => ({
  id: 'progress',
  promise: 'while one class of faults stays on, whatever it does not touch ends as usual; after it lifts everything does',
  watch(simulation, violate) {
    const demand = (goals: readonly Goal[], when: string): void => {
      const images = stateImages(simulation);
      const missed = goals.filter((goal) => !REACHED[goal](images));
      if (missed.length > 0) violate(`${when} ${name} this was not reached: ${missed.join(', ')}`);
    };
    return {
      calm: () =>
        demand(
          GOALS.filter((goal) => !stops.includes(goal)),
          'during',
        ),
      finished: () =>
        demand(
          GOALS.filter((goal) => !expires.includes(goal)),
          'after',
        ),
    };
  },
});

const ordersOf = (images: readonly Image[]): Image[] => images.filter((image) => referenceOf(idOf(image as never)) !== undefined);
const isDone = (image: Image): boolean => recordOf(image, 'run')?.status === 'completed';
const done = (images: readonly Image[], kind: string): number =>
  images.filter((image) => String(image['pk']).startsWith(`JOB#${kind}#`) && isDone(image)).length;

const REACHED: Readonly<Record<Goal, (images: readonly Image[]) => boolean>> = {
  accepted: (images) => ordersOf(images).length === ORDERS,
  paid: (images) => ordersOf(images).filter((image) => image['captureId'] !== undefined).length === ORDERS,
  refunded: (images) => ordersOf(images).some((image) => image['status'] === 'refunded'),
  receipt: (images) => done(images, 'send-receipt') === ORDERS,
  exported: (images) => done(images, 'export-orders') === 1,
  stock: (images) => done(images, 'adjust-stock') === 1,
};
