import { randomBytes } from 'node:crypto';
import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import type { OrderStatus } from '#shared/domain/order.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { sendBodies } from '../aws/queues.ts';
import { LOCAL_STAGE } from '../aws/target.ts';
import type { OrderApi } from '../http/order-api.ts';
import { type Sandbox, sandbox } from '../http/sandbox.ts';
import { sandboxFetch } from '../http/sandbox-of.ts';
import { orderApiOf } from '../http/signed-order-api.ts';
import type { Session } from '../session.ts';

/** An order the demo made, and how it must end. */
export interface DemoOrder {
  readonly userId: string;
  readonly orderId: string;
  /** What it shows. */
  readonly shows: string;
  readonly ends: OrderStatus;
}

/** One run of the demo against one deployment. */
export interface DemoWorld {
  readonly session: Session;
  readonly api: OrderApi;
  readonly provider: Sandbox;
  /** Begins every user id of this run and is part of its malformed bodies, so that runs do not judge each other. */
  readonly runId: string;
  /** Longest wait for an order to end. */
  readonly patienceMs: number;
  readonly captureQueueUrl: string;
  /** Every order made so far. */
  readonly orders: DemoOrder[];
}

/** Stage `local` waits a tenth of the real delays; a visibility timeout there is 18 s and elsewhere 150 s. */
const PATIENCE_MS = { local: 60_000, elsewhere: 400_000 };

/** @param name begins the run's id */
export function demoWorld(session: Session, name: 'demo' | 'load' | 'outage'): DemoWorld {
  return {
    session,
    api: orderApiOf(session),
    provider: sandbox(session.output(STACK_OUTPUTS.sandboxUrl), sandboxFetch(session)),
    runId: `${name}-${randomBytes(3).toString('hex')}`,
    patienceMs: session.target.stage === LOCAL_STAGE ? PATIENCE_MS.local : PATIENCE_MS.elsewhere,
    captureQueueUrl: session.output(jobOutputs(capturePayment.kind).queueUrl),
    orders: [],
  };
}

export const nameOf = ({ userId, orderId }: Pick<DemoOrder, 'userId' | 'orderId'>): string => `${userId}/${orderId}`;

export interface Wish {
  readonly userId?: string;
  readonly key: string;
  readonly amountMinor?: number;
  /** What the provider does to this payment; scripted by an amount of its own. */
  readonly fault?: keyof typeof MAGIC_AMOUNTS;
  readonly currency?: string;
  readonly shows: string;
  readonly ends?: OrderStatus;
}

const PLAIN_AMOUNT_MINOR = 1_250;

/** Orders over HTTP and notes the order for the final audit. @throws Error when the API does not take it */
export async function order(world: DemoWorld, wish: Wish): Promise<DemoOrder & { status: number }> {
  const { key, fault, currency = 'EUR', shows, ends = 'paid', userId = world.runId } = wish;
  const amountMinor = fault === undefined ? (wish.amountMinor ?? PLAIN_AMOUNT_MINOR) : MAGIC_AMOUNTS[fault].amountMinor;
  const { status, body } = await world.api.create({ userId, idempotencyKey: `${world.runId}-${key}`, amountMinor, currency });
  if (status !== 202 && status !== 200) throw new Error(`the API answered ${status} to a POST: ${body.detail ?? body.title}`);
  const made: DemoOrder = { userId, orderId: body.orderId, shows, ends };
  if (!world.orders.some((known) => known.orderId === made.orderId)) world.orders.push(made);
  return { ...made, status };
}

/** The message the pipeline itself sends for an order's first payment attempt. */
export const captureMessage = ({ userId, orderId }: DemoOrder): string =>
  JSON.stringify(outboxMessage({ definition: capturePayment, payload: { userId, orderId, attempt: 1 } }, Date.now()));

/** Delivers the order's message again, as SQS may. */
export const sendCopies = (world: DemoWorld, order: DemoOrder, count: number): Promise<void> =>
  sendBodies(
    world.session.clients.sqs,
    world.captureQueueUrl,
    Array.from({ length: count }, () => captureMessage(order)),
  );
