import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { runSteps, step } from '../output/steps.ts';
import type { Session } from '../session.ts';
import { auditOrders, type OrderFacts } from './audit.ts';
import { onlyTheseLetters, queuesRunDry, waitForReceipts, waitUntilSettled } from './quiet.ts';
import type { DemoReport } from './report.ts';
import { type Scenario, show } from './scenario.ts';
import { decline } from './scenarios/decline.ts';
import { killedWorker } from './scenarios/killed-worker.ts';
import { malformed, malformedBodies } from './scenarios/malformed.ts';
import { plain } from './scenarios/plain.ts';
import { racingReader } from './scenarios/racing-reader.ts';
import { samePost } from './scenarios/same-post.ts';
import { tripleDelivery } from './scenarios/triple-delivery.ts';
import { chargedButTimeout, notCharged } from './scenarios/unknown-outcomes.ts';
import { allKept, commonVerdicts, type Verdict } from './verdict.ts';
import { demoWorld } from './world.ts';

/** The killed order waits by itself; beside it two at a time, so that a small machine is not all cold starts. */
const SCENARIOS_AT_ONCE = 3;

/** Shows the promises with a handful of orders and audits every one of them. */
export async function runDemo(session: Session): Promise<DemoReport> {
  const started = Date.now();
  const world = demoWorld(session, 'demo');
  // The killed order waits longest, so it goes first; the others start when nobody's worker is killed any more.
  const { promise: killingIsOver, resolve: onKilled } = Promise.withResolvers<void>();
  const scenarios: Scenario[] = [
    killedWorker(onKilled),
    plain,
    samePost,
    tripleDelivery,
    chargedButTimeout,
    notCharged,
    decline,
    racingReader,
    malformed,
  ];
  const verdicts: Verdict[] = [];
  await runSteps(
    scenarios.map((scenario, index) =>
      step(scenario.title, async (tell) => {
        if (index > 0) await killingIsOver;
        const verdict = await show(scenario, world, tell);
        verdicts[index] = verdict;
        return `${scenario.title}${verdict.kept === true ? '' : ` · ${verdict.kept === undefined ? verdict.seen : 'BROKEN'}`}`;
      }),
    ),
    { json: session.json, atOnce: SCENARIOS_AT_ONCE },
  );
  let facts: OrderFacts[] = [];
  await runSteps(
    [
      step('Audit of every order', async (tell) => {
        await waitUntilSettled(world, world.patienceMs, tell);
        await waitForReceipts(world, world.patienceMs, tell);
        verdicts.push(await queuesRunDry(world, world.patienceMs, tell), await onlyTheseLetters(world, malformedBodies(world)));
        facts = await auditOrders(world);
        verdicts.push(...commonVerdicts(facts));
        return undefined;
      }),
    ],
    { json: session.json },
  );
  const leftBehind = `The dead letters of queue ${capturePayment.kind} whose bodies hold ${world.runId} are this demo's own malformed messages; \`status\` goes on counting them.`;
  return { ok: allKept(verdicts), durationMs: Date.now() - started, orders: facts, verdicts, leftBehind };
}
