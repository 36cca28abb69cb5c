import { createCircuitBreaker } from '#shared/breaker/circuit-breaker.ts';
import { createSlowCalls } from '#shared/breaker/slow-calls.ts';
import { type CachedRows, createCachedRows } from '#shared/control/cached-rows.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import { ASK_FIRST_ROW, askFirstSchema, breakerRow, pauseRow, readRow } from '#shared/control/rows.ts';
import { createRateLimiter, type Token, type TokenWish } from '#shared/rate-limit/rate-limiter.ts';
import type { Clock } from '#shared/runtime/clock.ts';
import type { Random } from '#shared/runtime/random.ts';
import { createCallGuard, type Protection } from './call-guard.ts';
import type { AnyJobDefinition, Dependency } from './define-job.ts';
import { guardPayments } from './guarded-payments.ts';
import type { Ports } from './ports.ts';

/** What stands between a message and its claim: pauses, circuit breakers, rate limits. Refusing writes nothing on the item and costs no attempt. */
export interface Gate {
  admit(definition: AnyJobDefinition): Promise<Admission>;
}

export type Admission =
  | {
      readonly admitted: true;
      /** The ports of this execution: calls through them are counted by the breaker and take their share of the rate limit. */
      readonly ports: Ports;
      /** Ask about earlier attempts whatever the item says: the table was restored and may have forgotten them. */
      readonly askFirst: boolean;
    }
  | {
      readonly admitted: false;
      readonly code: 'paused' | 'circuit-open' | 'rate-limited' | 'gate-unanswered';
      readonly retryAfterMs?: number;
    };

/** Lets everything through; for kinds and tests without a dependency to protect. */
export const openGate = (ports: Ports): Gate => ({ admit: async () => ({ admitted: true, ports, askFirst: false }) });

export interface GateParts {
  readonly control: ControlStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly ports: Ports;
  /** Multiplies every duration; 1 but in stage local. */
  readonly timeScale: number;
  /** What all workers together may ask of each dependency. */
  readonly callsPerSecond: Readonly<Record<string, number>>;
}

interface World extends GateParts {
  readonly rows: CachedRows;
  readonly protections: Map<Dependency, Protection>;
}

/** Each row of the Control table is read at most this often. */
const ROW_AGE_MS = 1_000;
/** Slots take as long to come where time is shortened. */
const SHORTEST_TOKEN_WAIT_MS = 500;
/** A job that has to wait longer for its slot does so before its claim, and comes back this early to make it. */
const CLAIM_MS = 10;

/**
 * Asks pause, breaker and rate limit, in this order, before the claim. Without an answer of the Control table nobody passes:
 * a job put off loses a moment, a call too many may cost the dependency.
 *
 * Does not protect against a pause or an opened circuit within the second that a row is cached.
 */
export function createGate(parts: GateParts): Gate {
  const { control, clock } = parts;
  const world: World = { ...parts, rows: createCachedRows({ control, nowMs: clock.nowMs, maxAgeMs: ROW_AGE_MS }), protections: new Map() };
  return {
    async admit(definition) {
      const protection = definition.dependency === undefined ? undefined : protectionOf(world, definition.dependency);
      try {
        return await admit(world, definition, protection);
      } catch {
        return { admitted: false, code: 'gate-unanswered' };
      }
    },
  };
}

async function admit(world: World, definition: AnyJobDefinition, protection: Protection | undefined): Promise<Admission> {
  const { rows, clock, ports } = world;
  const [pause, askFirst] = await Promise.all([
    rows.read(pauseRow(definition.kind)),
    definition.ask === undefined ? undefined : rows.read(ASK_FIRST_ROW),
    // Read together with the others; the breaker then finds it cached.
    definition.dependency === undefined ? undefined : rows.read(breakerRow(definition.dependency)),
  ]);
  if (pause !== undefined) return { admitted: false, code: 'paused' };
  const admission = { admitted: true, ports, askFirst: (readRow(askFirstSchema, askFirst)?.untilMs ?? 0) > clock.nowMs() } as const;
  return protection === undefined ? admission : admitCalls(world, definition, protection, admission);
}

type Admitted = Extract<Admission, { admitted: true }>;

async function admitCalls(world: World, { timing }: AnyJobDefinition, protection: Protection, admission: Admitted): Promise<Admission> {
  const { ports, timeScale, random } = world;
  const entry = await protection.breaker.enter();
  if (!entry.admitted) return { admitted: false, code: 'circuit-open', retryAfterMs: entry.retryAfterMs * (1 + random.fraction() / 2) };
  const healthyMs = timing.p99Ms * timeScale;
  const wish = { maxWaitMs: Math.max(healthyMs, SHORTEST_TOKEN_WAIT_MS), share: entry.share };
  // The one probe takes its token when it calls: it must not lose its place by waiting here.
  const first = entry.probe === undefined ? await firstToken(world, protection, wish) : undefined;
  if (first?.refused) return { admitted: false, code: 'rate-limited' };
  const guard = createCallGuard({ protection, wish, healthyMs, clock: world.clock, probe: entry.probe, first: first?.token });
  return { ...admission, ports: { ...ports, payments: guardPayments(ports.payments, guard) } };
}

interface FirstToken {
  readonly token: Promise<Token | undefined>;
  readonly refused: boolean;
}

/**
 * While slots are had at once the token is fetched beside the claim, not before it. Otherwise the job waits for its instant
 * here, where it holds nothing.
 */
async function firstToken({ clock }: World, { limiter }: Protection, wish: TokenWish): Promise<FirstToken> {
  const { free } = limiter;
  const token = limiter.take(wish);
  // Whoever uses it will see the failure.
  token.catch(() => undefined);
  if (free) return { token, refused: false };
  const had = await token;
  if (had === undefined) return { token, refused: true };
  const waitMs = had.instantMs - CLAIM_MS - clock.nowMs();
  if (waitMs > 0) await clock.sleep(waitMs);
  return { token, refused: false };
}

function protectionOf(world: World, dependency: Dependency): Protection {
  const known = world.protections.get(dependency);
  if (known !== undefined) return known;
  const { control, clock, random, rows, timeScale } = world;
  const callsPerSecond = world.callsPerSecond[dependency];
  if (callsPerSecond === undefined) throw new Error(`no rate limit is set for ${dependency}; name it in the stage's settings`);
  const parts = { dependency, control };
  const breaker = createCircuitBreaker({ ...parts, rows, nowMs: clock.nowMs, token: random.token, scale: timeScale });
  const limiter = createRateLimiter({ ...parts, callsPerSecond, clock, random });
  const protection: Protection = { breaker, limiter, slow: createSlowCalls({ ...parts, nowMs: clock.nowMs }) };
  world.protections.set(dependency, protection);
  return protection;
}
