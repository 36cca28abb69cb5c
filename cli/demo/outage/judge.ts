import { standingOf } from '#shared/breaker/circuit.ts';
import { captureKey } from '#shared/domain/order.ts';
import type { OrderFacts } from '../audit.ts';
import { broken, forEvery, kept, notTried, type Verdict } from '../verdict.ts';
import type { Sighting } from './observe.ts';

/** Everything seen of one outage. Times are milliseconds since the epoch. */
export interface Outage {
  /** Nobody listened at the provider's address from here … */
  readonly fromMs: number;
  /** … to here. */
  readonly untilMs: number;
  /** Orders that waited when it ended, and what had become of them by then. */
  readonly waiting: { readonly orders: number; readonly ended: number; readonly attempts: number };
  /** Refused connections, as the workers logged them. */
  readonly refusedAtMs: readonly number[];
  /** Keys of the jobs whose answer came too late once the provider was back: that attempt is spent, and not the outage's doing. */
  readonly answeredTooLate: readonly string[];
  /** Calls that reached the provider. */
  readonly callsAtMs: readonly number[];
  readonly sightings: readonly Sighting[];
  readonly batchSize: number;
  /** Calls a second that all workers together may make. */
  readonly callsPerSecond: number;
  /** Multiplies the circuit's durations; 1 but in stage local. */
  readonly timeScale: number;
}

export const outageVerdicts = (outage: Outage, facts: readonly OrderFacts[]): Verdict[] => [
  costsNothing(outage),
  firstAttempts(outage, facts),
  callsStop(outage),
  consumptionStopsAndResumes(outage),
  callsComeBackInSteps(outage),
];

function costsNothing({ waiting: { orders, ended, attempts } }: Outage): Verdict {
  const promise = 'the outage ends no order and costs no attempt';
  const seen = `${orders} orders waited to its end; ${ended} had ended, ${attempts} attempts were spent`;
  return ended === 0 && attempts === 0 ? kept(promise, seen) : broken(promise, seen, []);
}

function firstAttempts({ answeredTooLate }: Outage, facts: readonly OrderFacts[]): Verdict {
  const lateAnswers = ({ userId, orderId }: OrderFacts): number =>
    answeredTooLate.filter((key) => key === captureKey(userId, orderId, 1)).length;
  const verdict = forEvery(
    'every order was paid at the first attempt that was answered',
    facts,
    (order) => order.attempts === 1 + lateAnswers(order),
    ({ attempts }) => `took ${attempts} attempts`,
  );
  const late = facts.filter((order) => lateAnswers(order) > 0).length;
  if (verdict.kept === false || late === 0) return verdict;
  return { ...verdict, seen: `${verdict.seen}; ${late} met an answer that came too late after the outage, which spends an attempt` };
}

/** A process hears of the opened circuit within a second; a batch that had begun ends first. */
const HEARD_WITHIN_MS = 3_000;

/** Calls under way may all fail before one of them opens the circuit; afterwards each cool-down ends in one probe. */
function callsStop(outage: Outage): Verdict {
  const promise = 'an open circuit lets nobody through but one probe a cool-down';
  const { refusedAtMs, batchSize } = outage;
  const during = outage.sightings.filter(({ atMs }) => atMs >= outage.fromMs);
  const firstOpen = outage.sightings.findIndex(({ atMs, circuit }) => atMs >= outage.fromMs && circuit !== undefined);
  const opened = outage.sightings[firstOpen]?.circuit;
  if (opened === undefined) return broken(promise, `the circuit did not open; ${refusedAtMs.length} calls were refused`, []);
  const openings = Math.max(...during.map(({ circuit }) => circuit?.openings ?? 0));
  const concurrency = Math.max(...outage.sightings.slice(0, firstOpen + 1).map((sighting) => sighting.concurrency ?? 1));
  const later = refusedAtMs.filter((atMs) => atMs > opened.openedAtMs + HEARD_WITHIN_MS).length;
  const first = refusedAtMs.length - later;
  const seen = `${first} calls were refused until the circuit was open everywhere, ${later} probes in the ${seconds(outage.untilMs - opened.openedAtMs)} s after; it opened ${openings} times in a row`;
  return later <= openings && first <= concurrency * batchSize + openings ? kept(promise, seen) : broken(promise, seen, []);
}

function consumptionStopsAndResumes({ sightings, fromMs, untilMs }: Outage): Verdict {
  const promise = 'the queue is switched off and on again without anybody';
  const later = sightings.filter(({ atMs }) => atMs >= fromMs);
  const off = later.findIndex(({ consumed }) => !consumed);
  if (off < 0)
    return notTried(
      promise,
      `not seen: the governor comes once a minute and found no open circuit in these ${seconds(untilMs - fromMs)} s`,
    );
  const on = later.slice(off).find(({ consumed }) => consumed);
  const offAfter = `off ${seconds((later[off]?.atMs ?? 0) - fromMs)} s after the outage began`;
  if (on === undefined) return broken(promise, `${offAfter}, and still off`, []);
  const steps = later.slice(off).flatMap(({ consumed, concurrency }) => (consumed ? [concurrency ?? 0] : []));
  const shown = steps.filter((concurrency, index) => concurrency !== steps[index - 1]);
  const seen = `${offAfter}, on again ${seconds(on.atMs - untilMs)} s after it ended, at concurrency ${shown.join(', ')}`;
  return kept(promise, seen);
}

const SAMPLE_MS = 50;
/** A slot leased in one step may be used in the next, and a process may not have heard of the step for a second. */
const SLACK_SECONDS = 1;

/** The rate limit's share while the circuit closes: what each step allows and what was called in it. */
function callsComeBackInSteps({ sightings, callsAtMs, callsPerSecond, timeScale, fromMs }: Outage): Verdict {
  const promise = 'calls come back in steps';
  const row = sightings.find(({ atMs, circuit }) => atMs >= fromMs && circuit?.state === 'closing')?.circuit;
  const closedAtMs = row?.closedAtMs;
  if (row === undefined || closedAtMs === undefined) return notTried(promise, 'the circuit was not seen closing');
  const steps = new Map<number, { durationMs: number; calls: number }>();
  for (let atMs = closedAtMs; ; atMs += SAMPLE_MS) {
    const standing = standingOf(row, atMs, timeScale);
    if (standing.state !== 'closing') break;
    const step = steps.get(standing.share) ?? { durationMs: 0, calls: 0 };
    step.durationMs += SAMPLE_MS;
    step.calls += callsAtMs.filter((callMs) => callMs >= atMs && callMs < atMs + SAMPLE_MS).length;
    steps.set(standing.share, step);
  }
  const exceeded = [...steps].some(
    ([share, { durationMs, calls }]) => calls > share * callsPerSecond * (durationMs / 1000 + SLACK_SECONDS),
  );
  const shown = [...steps].map(
    ([share, { durationMs, calls }]) => `${calls} in ${durationMs / 1000} s (at most ${share * callsPerSecond} a second)`,
  );
  const after = `then per 10 s: ${perTenSeconds(callsAtMs, closedAtMs).join(', ')}`;
  const seen = `${shown.join(', ')}; ${after}`;
  return exceeded ? broken(promise, seen, []) : kept(promise, seen);
}

const BUCKET_MS = 10_000;
const BUCKETS_SHOWN = 8;

/** Calls in each ten seconds from a moment on. */
export function perTenSeconds(callsAtMs: readonly number[], fromMs: number): number[] {
  const last = Math.max(fromMs, ...callsAtMs);
  const buckets = Math.min(BUCKETS_SHOWN, Math.floor((last - fromMs) / BUCKET_MS) + 1);
  return Array.from({ length: buckets }, (_, index) => {
    const startMs = fromMs + index * BUCKET_MS;
    return callsAtMs.filter((atMs) => atMs >= startMs && atMs < startMs + BUCKET_MS).length;
  });
}

const seconds = (durationMs: number): string => (durationMs / 1000).toFixed(0);
