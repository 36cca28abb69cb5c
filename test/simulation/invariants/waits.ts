import type { SQSRecord } from 'aws-lambda';
import type { Call } from '../../support/fake-aws/wire.ts';
import type { Process } from '../kernel/process.ts';
import type { Disturbance, ItemWritten } from '../observer.ts';
import type { ProviderCall } from '../provider/provider-requests.ts';
import type { Simulation } from '../simulation.ts';
import { createClocks } from './clocks.ts';
import { type Image, idOf, jobOf, keyIn, numberOf } from './item-views.ts';
import { situationOfWait } from './retry-spread.ts';

/** As promised (docs/guarantees.md, D2 and D3), not as configured. */
const STEPS_SECONDS = [10, 30, 120, 300, 900] as const;
const ATTEMPTS = STEPS_SECONDS.length + 1;
const LONGEST_DEFERRAL_SECONDS = 900;
const LONGEST_WAIT_SECONDS = 3_600;
/** `due:` lies this much before the message is back. */
const DUE_EARLIER_MS = 1_000;

/** A run that ended without an answer, and what its process may do next. */
interface Release {
  readonly operation: string;
  readonly attempt: number;
  readonly deferred: boolean;
  /** What the provider asked for in this run; 0 when it did not. */
  readonly retryAfterSeconds: number;
}

interface Asked {
  readonly seconds: number;
  readonly atMs: number;
}

/** A slot is an item and an operation on it: what a backoff belongs to, whichever message brings the work. */
export function createWaits(simulation: Simulation, violate: (how: string) => void) {
  const clocks = createClocks();
  const slotOfReceipt = new Map<string, string>();
  /** By process and slot. */
  const releases = new Map<string, Release>();
  const claims = new Map<string, number>();
  const asked = new Map<string, Asked>();
  /** Until when the provider wants to be left alone about a slot, and whose clock measured it. */
  const quiet = new Map<string, { readonly untilMs: number; readonly by: string; readonly releasedAtMs: number }>();

  const claimed = ({ id, next, by, atMs }: ItemWritten & { readonly next: Image; readonly by: string }): void => {
    const slot = `${id} ${next['leaseOp']}`;
    claims.set(`${by} ${slot}`, atMs);
    releases.delete(`${by} ${slot}`);
    asked.delete(`${by} ${slot}`);
    const dueMs = numberOf(next, `due:${next['leaseOp']}`);
    if (dueMs === 0) return;
    clocks.whenKnown([by], () => {
      const earlyMs = dueMs - atMs - (clocks.aheadMs(by) ?? 0);
      if (earlyMs > 1) violate(`${by} claims ${slot} ${Math.round(earlyMs)} ms before it is due`);
    });
  };
  const released = ({
    id,
    old,
    next,
    by,
    atMs,
  }: ItemWritten & { readonly old: Image; readonly next: Image; readonly by: string }): void => {
    const operation = String(old['leaseOp']);
    const slot = `${id} ${operation}`;
    const attempt = numberOf(old, `try:${operation}`);
    const deferred = numberOf(next, `try:${operation}`) < attempt;
    const answer = asked.get(`${by} ${slot}`);
    releases.set(`${by} ${slot}`, { operation, attempt, deferred, retryAfterSeconds: answer?.seconds ?? 0 });
    if (next[`due:${operation}`] === old[`due:${operation}`]) violate(`${by} frees ${slot} and says not when it is due again`);
    if (answer === undefined) return;
    simulation.happened('the provider asked for time');
    quiet.set(slot, { untilMs: answer.atMs + 1000 * answer.seconds, by, releasedAtMs: atMs });
  };

  return {
    itemWritten(written: ItemWritten): void {
      const { table, id, old = {}, next, by } = written;
      if (table !== 'State' || next === undefined) return;
      for (const name in old) if (name.startsWith('due:') && next[name] === undefined) quiet.delete(`${id} ${name.slice(4)}`);
      if (by === undefined) return;
      const sameFence = next['fence'] === old['fence'];
      if (next['lease'] === 'held' && !sameFence) claimed({ ...written, next, by });
      const isFreed = old['lease'] === 'held' && next['lease'] === 'free' && sameFence;
      if (isFreed && next[`op:${old['leaseOp']}`] === undefined) released({ ...written, old, next, by });
    },
    messagesDelivered(_queueName: string, records: readonly SQSRecord[]): void {
      for (const { receiptHandle, body } of records) {
        const job = jobOf(keyIn(body) ?? '');
        if (job !== undefined) slotOfReceipt.set(receiptHandle, `${idOf(job.item)} ${job.operation}`);
      }
    },
    queueCalled({ operation, input }: Call, by: string): void {
      if (operation !== 'ChangeMessageVisibilityBatch') return;
      const handedBack = input.Entries as { readonly ReceiptHandle: string; readonly VisibilityTimeout: number }[];
      for (const [slot, entries] of Map.groupBy(handedBack, ({ ReceiptHandle }) => slotOfReceipt.get(ReceiptHandle) ?? '')) {
        const delays = entries.map(({ VisibilityTimeout }) => VisibilityTimeout);
        const handBack = { delays, apartSeconds: Math.ceil(clocks.apartMs / 1000), what: `${by} hands ${slot} back` };
        judgeHandBack(handBack, releases.get(`${by} ${slot}`), simulation, violate);
        // What the process hands back later of this slot is a copy that found it waiting.
        releases.delete(`${by} ${slot}`);
      }
    },
    providerCalled({ key = '', operation, from, sentAtMs }: ProviderCall): void {
      const slot = slotOf(key);
      const left = slot === undefined ? undefined : quiet.get(slot);
      // Whoever had claimed before goes on: it was overtaken, and could not hear of it.
      if (left === undefined || (claims.get(`${from} ${slot}`) ?? 0) < left.releasedAtMs) return;
      clocks.whenKnown([from, left.by], () => {
        const apartMs = (clocks.aheadMs(from) ?? 0) - (clocks.aheadMs(left.by) ?? 0);
        const earlyMs = left.untilMs - DUE_EARLIER_MS - sentAtMs - apartMs;
        if (earlyMs > 1)
          violate(`${from} sends a ${operation} of ${key} ${Math.round(earlyMs)} ms before the provider's Retry-After is over`);
      });
    },
    providerAnswered(call: ProviderCall, { retryAfterSeconds }: { readonly retryAfterSeconds: number | undefined }): void {
      const slot = slotOf(call.key ?? '');
      if (slot === undefined || retryAfterSeconds === undefined || !arrives(call, simulation)) return;
      asked.set(`${call.from} ${slot}`, { seconds: Math.min(retryAfterSeconds, LONGEST_WAIT_SECONDS), atMs: simulation.world.nowMs });
    },
    invocationEnded(_functionName: string, process: Process): void {
      clocks.saw(process);
      for (const name of releases.keys()) if (name.startsWith(`${process.name} `)) releases.delete(name);
    },
    disturbed(what: Disturbance): void {
      if (what === 'restore') quiet.clear();
    },
  };
}

/** A void carries the capture's key. */
function slotOf(key: string): string | undefined {
  const job = jobOf(key.replace(/^void:/, ''));
  return job && `${idOf(job.item)} ${job.operation}`;
}

/** An answer that something else happened to may never have been heard. */
function arrives({ sentAtMs }: ProviderCall, { faults }: Simulation): boolean {
  const fault = faults.injected.findLast(({ label, atMs }) => atMs === sentAtMs && label.endsWith(' at the provider'))?.fault;
  return fault === undefined || fault === 'rate-limited' || fault === 'unavailable';
}

interface HandBack {
  /** Of all copies of one job in a batch; one of them was released, the others found it waiting. */
  readonly delays: readonly number[];
  /** How far clocks are known to lie apart. */
  readonly apartSeconds: number;
  readonly what: string;
}

function judgeHandBack(
  { delays, apartSeconds, what }: HandBack,
  release: Release | undefined,
  simulation: Simulation,
  violate: (how: string) => void,
): void {
  const isWithin = (bands: readonly Band[]) => (seconds: number) => bands.some(([least, most]) => seconds >= least && seconds <= most);
  const outside = delays.find((seconds) => !isWithin([waitingBand(apartSeconds)])(seconds));
  if (outside !== undefined) violate(`${what} for ${outside} s`);
  if (release === undefined) return;
  const { attempt, deferred, retryAfterSeconds } = release;
  const bands = bandsOf(release, apartSeconds);
  if (!delays.some(isWithin(bands)))
    violate(`${what} for ${delays.join(', ')} s after attempt ${attempt}, not ${bands.map((band) => band.join(' to ')).join(' or ')} s`);
  const step = STEPS_SECONDS[attempt - 1];
  const [seconds] = delays;
  if (step === undefined || seconds === undefined || delays.length > 1 || deferred || retryAfterSeconds > 0) return;
  simulation.happened(situationOfWait(seconds, step));
}

type Band = readonly [least: number, most: number];

/** Half an hour to an hour: what can only be asked about. */
const SLOW: Band = [LONGEST_WAIT_SECONDS / 2, LONGEST_WAIT_SECONDS];

/** Behind somebody else's lease or wait, which another clock measures, and with a spread of a second. */
const waitingBand = (apartSeconds: number): Band => [1, LONGEST_WAIT_SECONDS + apartSeconds + 1];

function bandsOf({ operation, attempt, deferred, retryAfterSeconds }: Release, apartSeconds: number): Band[] {
  // A refund about to expire is put off until its key has; until when a circuit is open, another clock may have said.
  const longest = operation.startsWith('refund') ? LONGEST_WAIT_SECONDS : LONGEST_DEFERRAL_SECONDS + apartSeconds;
  const deferral: Band = [1, Math.max(longest, retryAfterSeconds)];
  if (attempt > ATTEMPTS) return [deferral, SLOW];
  if (deferred) return [deferral];
  const step = STEPS_SECONDS[attempt - 1];
  return step === undefined ? [SLOW] : [[step / 2, Math.max(step, retryAfterSeconds)]];
}
