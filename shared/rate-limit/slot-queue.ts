import { rateRow } from '#shared/control/rows.ts';
import type { RateLimiterParts, Token } from './rate-limiter.ts';
import { createRowTime, type RowTime } from './row-time.ts';
import { planSlots, readSlotRow, slotSpacingMs, slotsTaken } from './slots.ts';

/** One caller of this process who wants a slot. */
export interface Waiting {
  readonly deadlineMs: number;
  readonly share: number;
  token(token: Token | undefined): void;
  failure(error: unknown): void;
}

export interface SlotQueue {
  join(waiting: Waiting): void;
  /** When slots were last had at once. */
  readonly freeAtMs: number;
}

/** A process that found no slot comes back this much after one must be free; longer each time, so that many do not wear out one row. */
const SHORTEST_SPREAD_MS = 10;
const LONGEST_SPREAD_MS = 240;
const REFUSALS_IN_A_ROW = 3;
const LOOKS = 20;
const LOOK_EVERY_MS = 10;
/** Slots this near count as had at once. */
const AT_ONCE_MS = 30;

interface Desk extends RateLimiterParts {
  readonly row: string;
  readonly time: RowTime;
  readonly waiting: Waiting[];
  serving: boolean;
  freeAtMs: number;
  spreadMs: number;
  refusals: number;
}

/** Serves the callers of one process in turn, one conditional write at a time for as many of them as there are slots. */
export function createSlotQueue(parts: RateLimiterParts): SlotQueue {
  const desk: Desk = {
    ...parts,
    row: rateRow(parts.dependency),
    time: createRowTime(parts.clock),
    waiting: [],
    serving: false,
    freeAtMs: Number.NEGATIVE_INFINITY,
    spreadMs: SHORTEST_SPREAD_MS,
    refusals: 0,
  };
  return {
    join(waiting) {
      desk.waiting.push(waiting);
      if (!desk.serving) void serve(desk);
    },
    get freeAtMs() {
      return desk.freeAtMs;
    },
  };
}

async function serve(desk: Desk): Promise<void> {
  const { time, waiting, clock } = desk;
  desk.serving = true;
  try {
    // Those who ask in the same turn share the first block.
    await Promise.resolve();
    if (time.row === undefined) await meet(desk);
    for (giveUpTheLate(desk); waiting.length > 0; giveUpTheLate(desk)) {
      const waitMs = await lease(desk);
      if (waitMs > 0 && waiting.length > 0) await clock.sleep(waitMs);
    }
  } catch (error) {
    desk.freeAtMs = Number.NEGATIVE_INFINITY;
    for (const { failure } of waiting.splice(0)) failure(error);
  } finally {
    desk.serving = false;
  }
}

/** The first look. A row from the future shows a slow clock here, slower by the row's age than it shows; a fresh row has no age. */
async function meet({ time, control, row, clock }: Desk): Promise<void> {
  const look = async () => time.learn(readSlotRow(await control.get(row)));
  const behind = await look();
  const met = time.row?.asOfMs;
  for (let looks = 0; behind && looks < LOOKS && time.row?.asOfMs === met; looks++) {
    await clock.sleep(LOOK_EVERY_MS);
    await look();
  }
}

function giveUpTheLate({ waiting, clock }: Desk): void {
  for (const late of waiting.filter(({ deadlineMs }) => deadlineMs < clock.nowMs())) {
    waiting.splice(waiting.indexOf(late), 1);
    late.token(undefined);
  }
}

/** One try for everybody who waits. Returns how long to wait before the next. */
async function lease(desk: Desk): Promise<number> {
  const { time, waiting, clock, random, control, callsPerSecond } = desk;
  const spacingMs = slotSpacingMs(callsPerSecond, Math.min(...waiting.map(({ share }) => share)));
  const plan = planSlots({ row: time.row, nowMs: time.nowMs(), count: waiting.length, spacingMs, stranger: time.stranger });
  desk.freeAtMs = Number.NEGATIVE_INFINITY;
  if (plan.kind === 'full') return plan.freeInMs + desk.spreadMs * random.fraction();
  const askedAtMs = clock.nowMs();
  const answer = await control.update(desk.row, plan.change, plan.condition);
  const row = readSlotRow(answer.row);
  time.learn(row);
  if (!answer.accepted || row === undefined) return refused(desk);
  time.wrote();
  desk.refusals = 0;
  desk.spreadMs = Math.max(desk.spreadMs / 2, SHORTEST_SPREAD_MS);
  const instants = slotsTaken(row, plan.count, spacingMs).map(time.toOwn);
  if (plan.count >= waiting.length && (instants[0] ?? 0) - askedAtMs < AT_ONCE_MS) desk.freeAtMs = clock.nowMs();
  for (const instantMs of instants) waiting.shift()?.token({ instantMs });
  return 0;
}

function refused(desk: Desk): number {
  const { time, random } = desk;
  if (time.stranger) return 1 + SHORTEST_SPREAD_MS * random.fraction();
  desk.spreadMs = Math.min(2 * desk.spreadMs, LONGEST_SPREAD_MS);
  // The row that refused is fresh: where it leaves room, at once, but not again and again.
  return ++desk.refusals % REFUSALS_IN_A_ROW === 0 ? 1 + desk.spreadMs * random.fraction() : 0;
}
