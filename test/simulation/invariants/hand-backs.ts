import type { SQSRecord } from 'aws-lambda';
import type { Call } from '../../support/fake-aws/wire.ts';
import type { InvocationEnd } from '../cloud/lambda.ts';
import type { Process } from '../kernel/process.ts';
import type { Simulation } from '../simulation.ts';
import type { Clocks } from './clocks.ts';
import { jobOf, keyIn } from './item-views.ts';
import { createShortWaits } from './short-waits.ts';
import { judgeHandBack, type Release } from './wait-bands.ts';

interface HandedBack {
  readonly ReceiptHandle: string;
  readonly VisibilityTimeout: number;
}

/** How long a process hides the messages it hands back, by slots (waits.ts). */
export function createHandBacks(simulation: Simulation, clocks: Clocks, violate: (how: string) => void) {
  const shortWaits = createShortWaits(simulation);
  /** By process and slot. */
  const releases = new Map<string, Release>();
  const claimedAtMs = new Map<string, number>();
  const returnedAtMs = new Map<string, number>();
  const judge = (by: string, slot: string, entries: readonly HandedBack[]): void => {
    const what = `${by} hands ${slot} back`;
    const delays = entries.map(({ VisibilityTimeout }) => VisibilityTimeout);
    const isLate = entries.some(({ ReceiptHandle }) => shortWaits.isLate(ReceiptHandle));
    const release = releases.get(`${by} ${slot}`);
    const judged = lacksAnEntry(simulation) ? undefined : release;
    // A process that has not ended an invocation yet may be the one whose clock is furthest off.
    clocks.whenKnown([by], () => {
      const apartSeconds = Math.ceil(clocks.apartMs / 1000);
      judgeHandBack({ delays, apartSeconds, isLate, what }, judged, simulation, violate);
    });
    // What the process hands back later of this slot is a copy that found it waiting.
    releases.delete(`${by} ${slot}`);
    for (const { ReceiptHandle, VisibilityTimeout } of entries) {
      const wrong = release === undefined ? shortWaits.judge(ReceiptHandle, VisibilityTimeout) : undefined;
      if (wrong !== undefined) violate(`${what} for ${VisibilityTimeout} s, ${wrong}`);
    }
  };
  /** A call of an earlier invocation that was on its way for long: it says nothing of what the process does now. */
  const isOverdue = (by: string, { ReceiptHandle }: HandedBack): boolean =>
    (shortWaits.lastDeliveredAtMs(ReceiptHandle) ?? Number.POSITIVE_INFINITY) < (returnedAtMs.get(by) ?? 0);
  return {
    itemWritten: shortWaits.itemWritten,
    claimed(by: string, slot: string): void {
      claimedAtMs.set(`${by} ${slot}`, simulation.world.nowMs);
      releases.delete(`${by} ${slot}`);
    },
    released(by: string, slot: string, release: Release): void {
      // Applied after its invocation had given up on it: whatever that one handed back is out already.
      const isPast = (claimedAtMs.get(`${by} ${slot}`) ?? 0) < (returnedAtMs.get(by) ?? 0);
      if (!isPast) releases.set(`${by} ${slot}`, release);
    },
    messagesDelivered(queueName: string, records: readonly SQSRecord[]): void {
      for (const record of records) {
        const job = jobOf(keyIn(record.body) ?? '');
        if (job !== undefined) shortWaits.delivered(queueName, record, job);
      }
    },
    queueCalled({ operation, input }: Call, by: string): void {
      if (operation !== 'ChangeMessageVisibilityBatch') return;
      const handedBack = (input.Entries as readonly HandedBack[]).filter((entry) => !isOverdue(by, entry));
      for (const [slot, entries] of Map.groupBy(handedBack, ({ ReceiptHandle }) => shortWaits.slotOf(ReceiptHandle) ?? ''))
        judge(by, slot, entries);
    },
    ended({ name: ended }: Process, { how }: InvocationEnd): void {
      // One that was given up may wake up and go on with what it had.
      if (how === 'returned' || how === 'threw') returnedAtMs.set(ended, simulation.world.nowMs);
      for (const name of releases.keys()) if (name.startsWith(`${ended} `)) releases.delete(name);
    },
  };
}

const CALL_MS = 60_000;

/** SQS refuses single entries of a call; of several copies nobody can tell which of them is missing. */
function lacksAnEntry({ faults, world }: Simulation): boolean {
  const last = faults.injected.findLast(({ fault }) => fault === 'entry-failed');
  return last?.label.includes('ChangeMessageVisibilityBatch') === true && world.nowMs - last.atMs < CALL_MS;
}
