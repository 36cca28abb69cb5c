import { EXPORT_BUCKET, TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { ItemWritten } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import { orderOf, saysTheSame } from './committed-versions.ts';
import { type Image, outboxKeys, recordOf, referenceOf } from './item-views.ts';

const EXPORT_STEP = /^JOB#export-orders#export:([^/]+)\/([^:]+):(\d+)\|/;

/**
 * Read when its last step commits: what a customer is told to be finished. After a restore the parts written before may tell of orders
 * that the table has forgotten, or miss such as were made once more; nothing is judged then.
 */
export const wholeExport: Invariant = {
  id: 'S27',
  promise: 'a finished export holds each order its user had when it was asked for exactly once, as the table held it, and says how many',
  watch(simulation, violate) {
    const orders: Orders = new Map();
    const asked = new Map<string, readonly string[]>();
    let wasRestored = false;
    return {
      itemWritten(written) {
        if (written.table !== TABLES.state) return;
        noteOrder(written, orders);
        const [, userId = '', exportId = '', step] = EXPORT_STEP.exec(written.id) ?? [];
        if (step === '1' && written.old === undefined && !asked.has(exportId)) asked.set(exportId, existing(orders.get(userId)));
        if (step === undefined || wasRestored || !isLastStep(written)) return;
        const { orders: told } = (recordOf(written.next, 'run')?.result ?? {}) as { readonly orders?: number };
        const wrong = judgeExport({ userId, exportId, told, asked: asked.get(exportId) ?? [] }, simulation, orders.get(userId));
        if (wrong !== undefined) violate(`export ${exportId.slice(0, 8)} of ${userId} ${wrong}, by ${written.by}`);
      },
      disturbed(what) {
        wasRestored ||= what === 'restore';
      },
    };
  },
};

/** Every image of each order so far, by user and order; its last one is undefined once it is gone. */
type Orders = Map<string, OrdersOfUser>;
type OrdersOfUser = Map<string, (Image | undefined)[]>;

function noteOrder({ id, next }: ItemWritten, all: Orders): void {
  const [userId, orderId] = referenceOf(id)?.split('/') ?? [];
  if (userId === undefined || orderId === undefined) return;
  const orders: OrdersOfUser = all.get(userId) ?? new Map();
  all.set(userId, orders);
  const images = orders.get(orderId) ?? [];
  orders.set(orderId, images);
  images.push(next);
}

const existing = (orders: OrdersOfUser | undefined): string[] =>
  [...(orders ?? [])].flatMap(([orderId, images]) => (images.at(-1) === undefined ? [] : [orderId]));

/** It ends, and no further step follows from it. */
const isLastStep = ({ old, next }: ItemWritten): boolean =>
  recordOf(next, 'run')?.status === 'completed' &&
  recordOf(old, 'run')?.status !== 'completed' &&
  !outboxKeys(next).some((key) => key.startsWith('export:'));

interface Finished {
  readonly userId: string;
  readonly exportId: string;
  /** How many orders the job says there are. */
  readonly told: number | undefined;
  /** The orders there were when it was asked for. */
  readonly asked: readonly string[];
}

interface Line {
  readonly orderId: string;
  readonly version?: number;
  /** What is no order of ours is named, and not shown. */
  readonly unreadable?: unknown;
}

function judgeExport(
  { userId, exportId, told, asked }: Finished,
  { objects }: Simulation,
  orders: OrdersOfUser | undefined,
): string | undefined {
  const text = objects.objects.get(`/${EXPORT_BUCKET}/exports/${userId}/${exportId}/orders.jsonl`)?.toString();
  if (text === undefined) return 'is finished, and nothing was written';
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  const ids = new Set(lines.map(({ orderId }) => orderId));
  const missing = asked.filter((orderId) => !ids.has(orderId));
  if (missing.length > 0) return `lacks ${missing.length} of ${asked.length} orders, ${missing[0]} among them`;
  if (ids.size < lines.length) return `holds ${lines.length - ids.size} orders more than once`;
  if (told !== lines.length) return `is said to hold ${told} orders and holds ${lines.length}`;
  const wasSo = ({ orderId, unreadable, ...rest }: Line): boolean =>
    unreadable !== undefined ||
    (orders?.get(orderId) ?? []).some((image) => image !== undefined && saysTheSame({ orderId, ...rest }, { value: orderOf(image) }));
  const wrong = lines.find((line) => !wasSo(line));
  return wrong === undefined ? undefined : `shows ${wrong.orderId} as version ${wrong.version}, which was never committed so`;
}
