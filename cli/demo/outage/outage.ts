import { jobOutputs } from '#shared/contract/stack-outputs.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { jobs } from '#shared/jobs/index.ts';
import { controlOf } from '../../aws/control.ts';
import { mappingsOf } from '../../aws/mappings.ts';
import { providerUrlOf, readVariables, restoreProvider } from '../../aws/provider-url.ts';
import { watchForInterruption } from '../../local/interruption.ts';
import { CliError, EXIT } from '../../output/cli-error.ts';
import type { Session } from '../../session.ts';
import { withHands } from '../patience.ts';
import type { DemoReport } from '../report.ts';
import { allKept, commonVerdicts } from '../verdict.ts';
import { demoWorld } from '../world.ts';
import { makeOutage, type OutageWish } from './course.ts';
import { failedCalls, REFUSED, TOO_LATE } from './failed-calls.ts';
import { type Outage, outageVerdicts } from './judge.ts';
import { observe, timeline } from './observe.ts';
import { openProviderGate } from './provider-gate.ts';

/**
 * Takes the provider away by exchanging its address in the workers' settings for a gate of this process, and closing the gate.
 *
 * Does not protect against being killed outright meanwhile: the workers keep the gate's address until the next run puts it back.
 */
export async function runOutage(session: Session, wish: OutageWish): Promise<DemoReport & { timeline: readonly string[] }> {
  refuseElsewhere(session);
  const started = Date.now();
  const world = demoWorld(session, 'outage');
  const functions = providerFunctions(session);
  const variables = await readVariables(session.clients.lambda, session.output(jobOutputs(capturePayment.kind).functionName));
  const gate = await openProviderGate(providerUrlOf(variables) ?? '');
  const putBack = async (): Promise<void> => {
    await withHands(1, functions, (name) => restoreProvider(session.clients.lambda, name));
  };
  watchForInterruption(putBack);
  const observation = observe(
    { control: controlOf(session), mappings: mappingsOf(session.clients, session.outputs) },
    { dependency: capturePayment.dependency ?? '', kind: capturePayment.kind },
  );
  try {
    const ended = await makeOutage({ world, gate, observation, functions }, wish);
    await putBack();
    await observation.end();
    const outage: Outage = {
      ...ended.moments,
      ...limitsOf(variables),
      refusedAtMs: (await failedCalls(session, REFUSED, ended.moments.fromMs)).map(({ atMs }) => atMs),
      answeredTooLate: (await failedCalls(session, TOO_LATE, ended.moments.untilMs)).map(({ key }) => key),
      callsAtMs: gate.calls,
      sightings: observation.sightings,
    };
    const verdicts = [...outageVerdicts(outage, ended.facts), ...ended.verdicts, ...commonVerdicts(ended.facts)];
    return {
      ok: allKept(verdicts),
      durationMs: Date.now() - started,
      orders: ended.facts,
      verdicts,
      timeline: timeline(outage.sightings, outage.fromMs),
    };
  } finally {
    await putBack();
    await observation.end();
    await gate.close();
  }
}

function limitsOf(variables: Readonly<Record<string, string>>): Pick<Outage, 'batchSize' | 'callsPerSecond' | 'timeScale'> {
  const limits = JSON.parse(variables['RATE_LIMITS'] ?? '{}') as Record<string, number>;
  const callsPerSecond = limits[capturePayment.dependency ?? ''] ?? 0;
  return { batchSize: capturePayment.queue.batchSize, callsPerSecond, timeScale: Number(variables['TIME_SCALE'] ?? 1) };
}

function refuseElsewhere({ target }: Session): void {
  if (target.endpointUrl?.match(/127\.0\.0\.1|localhost/)) return;
  throw new CliError(
    'The outage takes the provider away on this machine, so it is shown in stage local only: start it with `npm run andal -- up`.',
    {
      exitCode: EXIT.usage,
    },
  );
}

const providerFunctions = (session: Session): string[] =>
  jobs
    .filter(({ dependency }) => dependency === capturePayment.dependency)
    .map(({ kind }) => session.output(jobOutputs(kind).functionName));
