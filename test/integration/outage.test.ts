import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, onTestFinished, test } from 'vitest';
import { createControlTable } from '#shared/aws/control-table.ts';
import { readBreaker } from '#shared/breaker/circuit.ts';
import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { breakerRow } from '#shared/control/rows.ts';
import { attemptsSpent } from '#shared/item/attributes.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { jobs } from '#shared/jobs/index.ts';
import { exchangeProvider, restoreProvider } from '../../cli/aws/provider-url.ts';
import { openProviderGate } from '../../cli/demo/outage/provider-gate.ts';
import { dynamodb } from '../support/integration/aws-clients.ts';
import { endpointUrl, output, outputsOfKind } from '../support/integration/deployment.ts';
import { inParallel } from '../support/integration/in-parallel.ts';
import { invoke, mappingOf } from '../support/integration/lambda-api.ts';
import { loggedBatches } from '../support/integration/log-lines.ts';
import { uniqueName } from '../support/integration/names.ts';
import { placeOrder } from '../support/integration/order-client.ts';
import { depths, waitForEmptyQueues } from '../support/integration/queues.ts';
import { auditRun, waitForAllPaid } from '../support/integration/run-audit.ts';
import { orderItems, waitForStatus } from '../support/integration/tables.ts';
import { waitUntil } from '../support/integration/wait-until.ts';

const ORDERS = 40;
const OUTAGE_MS = 20_000;
/** The governor turns consumption on again, waits of messages have doubled to half a minute. */
const PAID_WITHIN_MS = 180_000;
/** Few, because an emulator gives every concurrent request a process of its own. */
const CLIENTS = 4;
/** Lowest concurrency of a mapping, and what stage local deploys. */
const CONCURRENCY = 2;

const lambda = new LambdaClient({ endpoint: endpointUrl });
const control = createControlTable(dynamodb, output(STACK_OUTPUTS.controlTable));
const capture = outputsOfKind(capturePayment.kind);

const readCircuit = async () => readBreaker(await control.get(breakerRow('payment-provider')));
const captureMapping = async () =>
  (await mappingOf(capture.functionName, 'sqs')) as { State: string; ScalingConfig?: { MaximumConcurrency?: number } };
/** Its schedule calls it each minute; a test need not wait for that. */
const govern = () => invoke(output(STACK_OUTPUTS.governQueuesFunction), {});

async function providerBehindGate() {
  const gate = await openProviderGate(output(STACK_OUTPUTS.sandboxUrl));
  const functions = jobs
    .filter(({ dependency }) => dependency === 'payment-provider')
    .map(({ kind }) => output(jobOutputs(kind).functionName));
  onTestFinished(async () => {
    for (const name of functions) await restoreProvider(lambda, name);
    await gate.close();
  });
  for (const name of functions) await exchangeProvider(lambda, name, gate.url);
  return gate;
}

test('a provider that refuses connections costs no attempt and no dead letter, and consumption stops and resumes by itself', {
  timeout: OUTAGE_MS + PAID_WITHIN_MS + 120_000,
}, async () => {
  const run = uniqueName('outage');
  const lettersBefore = await depths('dead-letter');
  const place = (index: number) => placeOrder({ userId: run, idempotencyKey: `${run}-${index}`, amountMinor: 2_000 + index });
  const gate = await providerBehindGate();
  const { orderId } = await place(0);
  await waitForStatus(run, orderId, 'paid');
  expect(gate.calls.length).toBeGreaterThan(0);

  await gate.close();
  const sinceMs = Date.now();
  await inParallel(Array.from({ length: ORDERS - 1 }), CLIENTS, (_, index) => place(index + 1));
  const opened = await waitUntil({ what: 'the circuit to open' }, readCircuit);
  expect(opened.state).not.toBe('closing');
  await waitUntil({ what: 'the governor to stop consumption', withinMs: OUTAGE_MS, everyMs: 500 }, async (note) => {
    await govern();
    const { State } = await captureMapping();
    note(State);
    return State === 'Disabled';
  });
  await waitUntil({ what: 'the end of the outage', withinMs: OUTAGE_MS + 5_000 }, async () => Date.now() - sinceMs >= OUTAGE_MS);

  const waiting = (await orderItems(run)).filter((order) => order['orderId'] !== orderId);
  expect(waiting.map(({ status }) => status)).toEqual(Array.from({ length: ORDERS - 1 }, () => 'pending_payment'));
  expect(waiting.filter((order) => order['lease'] === 'free' && attemptsSpent(order, 'capture:1') > 0)).toEqual([]);
  const callsBefore = gate.calls.length;
  await gate.open();

  const concurrency = await waitUntil({ what: 'the governor to resume consumption', withinMs: 60_000, everyMs: 1_000 }, async (note) => {
    await govern();
    const { State, ScalingConfig } = await captureMapping();
    note({ State, ScalingConfig });
    return State === 'Enabled' && ScalingConfig?.MaximumConcurrency;
  });
  expect(concurrency).toBe(CONCURRENCY);
  await waitForAllPaid(run, ORDERS, PAID_WITHIN_MS);
  await waitForEmptyQueues(PAID_WITHIN_MS);

  const { openings } = (await readCircuit()) ?? opened;
  const logged = (await loggedBatches(capture.functionName, sinceMs)).flat();
  const refused = logged.filter(({ code }) => code === 'provider-unreachable').length;
  const putOff = logged.filter(({ code }) => code === 'circuit-open').length;
  console.log(`${refused} calls were refused, ${putOff} times a job was put off; the circuit opened ${openings} times in a row`);
  // Calls under way together may all fail before one of them opens the circuit; then there are probes, one a cool-down.
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(CONCURRENCY * capturePayment.queue.batchSize + 6);
  expect(gate.calls.length - callsBefore).toBeGreaterThanOrEqual(ORDERS - 1);
  // Back again, a provider may answer too late at first; that costs an attempt, never a second charge.
  expect(await auditRun(run)).toMatchObject({
    byStatus: { paid: ORDERS },
    ordersByCaptures: { 1: ORDERS },
    ordersByReceipts: { 1: ORDERS },
  });
  expect(await depths('dead-letter')).toEqual(lettersBefore);
});
