import { jobOutputs } from '#shared/contract/stack-outputs.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { functionWorkers } from '../../local/function-workers.ts';
import { orderEnds } from '../order-ends.ts';
import { waitFor } from '../patience.ts';
import { listed, providerCalls } from '../provider-calls.ts';
import type { Scenario } from '../scenario.ts';
import { broken, kept, notTried } from '../verdict.ts';
import { type DemoWorld, nameOf, order } from '../world.ts';

const CHARGED_WITHIN_MS = 20_000;

/** The provider has charged and holds its answer back, so there is time to kill whoever waits for it. */
export const killedWorker = (onKilled: () => void): Scenario => ({
  title: 'kill -9 between the charge and the commit',
  promise: 'a worker killed between charge and commit loses and doubles nothing',
  async run(world, tell) {
    try {
      if (!world.session.target.endpointUrl?.match(/127\.0\.0\.1|localhost/))
        return notTried(this.promise, 'skipped: workers can be killed on the local emulator only');
      const made = await order(world, {
        key: 'killed',
        shows: 'worker killed after charge',
        fault: 'chargedButTimeout',
      });
      await waitFor('the charge', () => isCharged(world, nameOf(made)), { limitMs: CHARGED_WITHIN_MS, everyMs: 20 });
      const killed = killWorkers(world);
      if (killed === 0) return notTried(this.promise, 'skipped: this emulator runs functions where they cannot be seen from here');
      onKilled();
      tell(`killed ${killed} worker processes; the message comes back after its visibility timeout`);
      return await afterwards(world, made, this.promise, killed);
    } finally {
      onKilled();
    }
  },
});

async function isCharged({ provider }: DemoWorld, reference: string): Promise<true | undefined> {
  const { captures } = await provider.account(reference);
  return captures.length > 0 ? true : undefined;
}

function killWorkers({ session }: DemoWorld): number {
  const functionName = session.output(jobOutputs(capturePayment.kind).functionName);
  const pids = functionWorkers(functionName, session.target.endpointUrl ?? '');
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return pids.length;
}

async function afterwards(world: DemoWorld, made: Parameters<typeof orderEnds>[1], promise: string, killed: number) {
  const started = Date.now();
  const item = await orderEnds(world, made);
  const calls = await providerCalls(world, made);
  const seen = `${killed} killed; ${String(item['status'])} ${((Date.now() - started) / 1000).toFixed(0)} s later; ${listed(calls)}`;
  return calls.askedFirst ? kept(promise, seen) : broken(promise, seen, [nameOf(made)]);
}
