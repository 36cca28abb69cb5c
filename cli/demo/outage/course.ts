import { exchangeProvider } from '../../aws/provider-url.ts';
import { CliError } from '../../output/cli-error.ts';
import { type Progress, runSteps, step } from '../../output/steps.ts';
import { auditOrders, type OrderFacts } from '../audit.ts';
import { orderEnds } from '../order-ends.ts';
import { TooLate, waitFor, withHands } from '../patience.ts';
import { onlyTheseLetters, queuesRunDry, waitForReceipts, waitUntilSettled } from '../quiet.ts';
import type { Verdict } from '../verdict.ts';
import { type DemoWorld, order } from '../world.ts';
import type { Outage } from './judge.ts';
import type { Observation } from './observe.ts';
import { BEFORE, keepOrdering, takeOrders, whatWaits } from './orders.ts';
import type { ProviderGate } from './provider-gate.ts';

export interface OutageWish {
  /** Orders that wait while the provider is away. */
  readonly orders: number;
  /** How long it stays away once they all wait; from a minute on also until the governor has switched the queue off. */
  readonly seconds: number;
}

/** Cool-down, governor and the doubling delays of messages all end within this time after the outage. */
const RECOVERY_MS = 300_000;
const PATIENCE_PER_ORDER_MS = 300;
const PROOF_ORDERS = 2;
/** The governor comes this often. When it comes at the moment of a probe, it finds no open circuit and waits for its next turn. */
const GOVERNED_EVERY_S = 60;
const AWAITED_GOVERNOR_MS = 2 * GOVERNED_EVERY_S * 1000;

export interface Stage {
  readonly world: DemoWorld;
  readonly gate: ProviderGate;
  readonly observation: Observation;
  readonly functions: readonly string[];
}

export interface Ended {
  readonly moments: Pick<Outage, 'fromMs' | 'untilMs' | 'waiting'>;
  readonly verdicts: readonly Verdict[];
  readonly facts: readonly OrderFacts[];
}

/** Gate closed, orders come in, time passes, gate open, everything ends. */
export async function makeOutage(stage: Stage, { orders, seconds }: OutageWish): Promise<Ended> {
  const { world, gate, observation } = stage;
  const limitMs = RECOVERY_MS + orders * PATIENCE_PER_ORDER_MS;
  const moments = { fromMs: 0, untilMs: 0, waiting: { orders: 0, ended: 0, attempts: 0 } };
  const verdicts: Verdict[] = [];
  let facts: OrderFacts[] = [];
  await runSteps(
    [
      step('Provider behind a gate that can be closed', () => payThroughGate(stage)),
      step(`Provider refuses connections; ${orders} orders come in`, async (tell) => {
        await gate.close();
        moments.fromMs = Date.now();
        await takeOrders(world, orders, tell);
        return undefined;
      }),
      step(`${seconds} s more without a provider, and orders keep coming`, async (tell) => {
        await keepOrdering(world, seconds * 1000, tell);
        if (seconds >= GOVERNED_EVERY_S) await governorSwitchesOff(observation, moments.fromMs, tell);
        moments.waiting = await whatWaits(world);
        moments.untilMs = Date.now();
        await gate.open();
        return undefined;
      }),
      step('Provider answers again; consumption resumes by itself (up to some minutes)', async (tell) => {
        await waitUntilSettled(world, limitMs, tell);
        await waitForReceipts(world, limitMs, tell);
        verdicts.push(await queuesRunDry(world, limitMs, tell), await onlyTheseLetters(world, []));
        return undefined;
      }),
      step('Audit of every order', async () => {
        facts = await auditOrders(world);
        return undefined;
      }),
    ],
    { json: world.session.json },
  );
  return { moments, verdicts, facts };
}

async function governorSwitchesOff({ sightings }: Observation, fromMs: number, tell: Progress): Promise<void> {
  tell('until the governor has come');
  const isOff = async () => sightings.some(({ atMs, consumed }) => atMs >= fromMs && !consumed) || undefined;
  await waitFor('the governor', isOff, { limitMs: AWAITED_GOVERNOR_MS }).catch(unlessLate);
}

async function payThroughGate({ world, gate, functions }: Stage): Promise<undefined> {
  await withHands(1, functions, (name) => exchangeProvider(world.session.clients.lambda, name, gate.url));
  const proof = await Promise.all(
    Array.from({ length: PROOF_ORDERS }, (_, index) => order(world, { key: `before-${index}`, shows: BEFORE })),
  );
  await Promise.all(proof.map((one) => orderEnds(world, one))).catch(unlessLate);
  if (gate.calls.length < PROOF_ORDERS)
    throw new CliError(
      'No worker called its provider through this process: the emulator runs functions where this process cannot be reached.',
    );
  return undefined;
}

function unlessLate(error: unknown): void {
  if (!(error instanceof TooLate)) throw error;
}
