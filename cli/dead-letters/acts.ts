import { createItemStore } from '#shared/aws/item-store.ts';
import { createMessageSender } from '#shared/aws/message-sender.ts';
import { createTogetherReader } from '#shared/aws/together-reader.ts';
import type { ItemKey } from '#shared/contract/item-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import { createLetterArchive } from '#shared/dead-letter/archive.ts';
import { createAuditTrail } from '#shared/dead-letter/audit.ts';
import { discardLetter } from '#shared/dead-letter/discard-letter.ts';
import { type Replaying, replayLetter } from '#shared/dead-letter/replay-letter.ts';
import { rearmTogether, removeTogether, sendTogether } from '#shared/dead-letter/together.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import { controlOf } from '../aws/control.ts';
import type { Session } from '../session.ts';
import type { ArchiveStore } from './archive-store.ts';
import type { LetterDesk } from './letter-desk.ts';
import { paymentsOf } from './provider.ts';
import { outcomeOf } from './tally.ts';
import type { LetterAct } from './work-off.ts';

export interface By {
  readonly who: string;
  readonly why: string;
}

/** An act on the letters of a queue; all of one run stand in one audit trail. */
export type ActOn = (desk: LetterDesk) => LetterAct;

/** What acts on letters work with. */
export interface ActWorld {
  readonly clients: Pick<Session['clients'], 'dynamoDb' | 'sqs'>;
  readonly stateTable: string;
  readonly control: ControlStore;
}

/** How long a call waits for more to carry. Letters are worked off by the hundred, so most calls then go out full. */
const GATHER_MS = 5;
export const gather = (): Promise<void> => systemClock.sleep(GATHER_MS);

function partsOf({ clients, stateTable, control }: ActWorld) {
  const store = createItemStore(clients.dynamoDb, stateTable);
  return {
    rearm: rearmTogether(store, gather),
    store: { write: store.write, read: createTogetherReader<ItemKey>(clients.dynamoDb, stateTable, gather) },
    audit: createAuditTrail({ control, clock: systemClock, random: systemRandom, gather }),
    sender: sendTogether(createMessageSender(clients.sqs), gather),
  };
}

const worldOf = (session: Session): ActWorld => ({
  clients: session.clients,
  stateTable: session.output(STACK_OUTPUTS.stateTable),
  control: controlOf(session),
});

export const replaying = (session: Session, by: Replaying): ActOn => replayingIn(worldOf(session), by);

export function replayingIn(world: ActWorld, by: Replaying): ActOn {
  const { rearm, ...parts } = partsOf(world);
  const store = { ...parts.store, ...rearm };
  return (desk) => {
    const letters = removeTogether(desk.letters, gather);
    return async (letter) => outcomeOf(await replayLetter(letter, by, { ...parts, store, letters }));
  };
}

export function discarding(session: Session, by: By & { moneyIsKnown: boolean }, archive: ArchiveStore): ActOn {
  const parts = {
    ...partsOf(worldOf(session)),
    payments: paymentsOf(session),
    archive: createLetterArchive(archive),
    clock: systemClock,
    random: systemRandom,
  };
  return (desk) => {
    const letters = removeTogether(desk.letters, gather);
    return async (letter) => outcomeOf(await discardLetter(letter, by, { ...parts, letters }));
  };
}
