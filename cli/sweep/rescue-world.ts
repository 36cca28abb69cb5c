import { createOverdueIndex } from '#shared/aws/overdue-index.ts';
import { createStateScan } from '#shared/aws/state-scan.ts';
import { rescueJobsEnvironment, sweepStateEnvironment } from '#shared/contract/environment.ts';
import type { ItemKey } from '#shared/contract/item-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { createClosedKinds } from '#shared/rescue/closed-kinds.ts';
import { controlOf } from '../aws/control.ts';
import { variablesOf } from '../aws/function-variables.ts';
import { readItems } from '../aws/items.ts';
import type { Session } from '../session.ts';
import type { LostWorld } from './lost.ts';
import type { OverdueWorld } from './overdue.ts';

/** What the deployed rescue would see at this moment, with the settings it was deployed with. */
export async function rescueWorldOf(session: Session): Promise<OverdueWorld & LostWorld & { readonly segments: number }> {
  const { dynamoDb } = session.clients;
  const table = session.output(STACK_OUTPUTS.stateTable);
  const [rescue, sweep] = await Promise.all([
    variablesOf(session, STACK_OUTPUTS.rescueJobsFunction),
    variablesOf(session, STACK_OUTPUTS.sweepStateFunction),
  ]);
  const { TIME_SCALE, PROVIDER_KEY_HORIZON_SECONDS } = rescueSettings.parse(rescue);
  const clock = { nowMs: () => Date.now() };
  return {
    index: createOverdueIndex(dynamoDb, table),
    scan: createStateScan(dynamoDb, table),
    read: (keys: readonly ItemKey[]) =>
      readItems(
        dynamoDb,
        table,
        keys.map((key) => ({ ...key })),
      ),
    isClosedFor: createClosedKinds({ control: controlOf(session), clock, timeScale: TIME_SCALE }),
    keyHorizonMs: PROVIDER_KEY_HORIZON_SECONDS * 1_000,
    timeScale: TIME_SCALE,
    nowMs: clock.nowMs(),
    segments: sweepSettings.parse(sweep).SWEEP_SEGMENTS,
  };
}

const rescueSettings = rescueJobsEnvironment.pick({ TIME_SCALE: true, PROVIDER_KEY_HORIZON_SECONDS: true });
const sweepSettings = sweepStateEnvironment.pick({ SWEEP_SEGMENTS: true });
