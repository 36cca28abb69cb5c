import type { CallEnd, CircuitBreaker, Probe } from '#shared/breaker/circuit-breaker.ts';
import type { SlowCalls } from '#shared/breaker/slow-calls.ts';
import type { RateLimiter, Token, TokenWish } from '#shared/rate-limit/rate-limiter.ts';
import { Deferral, RetryableError } from './outcome.ts';

/** What stands before one dependency. */
export interface Protection {
  readonly breaker: CircuitBreaker;
  readonly limiter: RateLimiter;
  readonly slow: SlowCalls;
}

export interface GuardedCall<Answer> {
  /** The call may change something at the dependency. */
  readonly acts: boolean;
  readonly timeoutMs: number;
  send(): Promise<Answer>;
  /** What a failure says about the dependency's health. */
  endOf(error: unknown): CallEnd;
}

export type CallGuard = <Answer>(call: GuardedCall<Answer>) => Promise<Answer>;

export interface CallGuardParts {
  readonly protection: Protection;
  readonly clock: { nowMs(): number };
  readonly wish: TokenWish;
  /** A healthy run takes no longer than this. */
  readonly healthyMs: number;
  /** This execution is the one that may try an open circuit. */
  readonly probe: Probe | undefined;
  /** Taken when the job was admitted; the first call uses it. */
  readonly first: Promise<Token | undefined> | undefined;
}

interface Refusal {
  readonly code: 'rate-limited' | 'circuit-open' | 'gate-unanswered';
  readonly retryAfterMs?: number;
}

/**
 * Lets one execution's calls through one by one: each takes a token, none is made on an open circuit, every end is counted.
 *
 * @throws Deferral for a call that is not made, and costs no attempt; once the execution has made a call that may have changed
 * something it is a RetryableError instead, which does
 */
export function createCallGuard(parts: CallGuardParts): CallGuard {
  const { protection, clock, healthyMs } = parts;
  let { probe, first } = parts;
  let acted = false;

  const ended = async (end: CallEnd, durationMs: number): Promise<void> => {
    const reporter = probe;
    probe = undefined;
    await protection.breaker.report(end, reporter);
    if (end === 'answered') await protection.slow.took(durationMs, healthyMs);
  };

  return async ({ acts, timeoutMs, send, endOf }) => {
    const token = first;
    first = undefined;
    const refusal = await refusalOf(parts, { token, probe, timeoutMs });
    if (refusal !== undefined) throw putOff(refusal, acted);
    acted ||= acts;
    const startedAtMs = clock.nowMs();
    try {
      const answer = await send();
      await ended('answered', clock.nowMs() - startedAtMs);
      return answer;
    } catch (error) {
      await ended(endOf(error), clock.nowMs() - startedAtMs);
      throw error;
    }
  };
}

interface Asked {
  readonly token: Promise<Token | undefined> | undefined;
  readonly probe: Probe | undefined;
  readonly timeoutMs: number;
}

/** The circuit is asked last: it may have opened while the call waited for its slot. */
async function refusalOf(parts: CallGuardParts, { token, probe, timeoutMs }: Asked): Promise<Refusal | undefined> {
  try {
    if (!(await holdToken(parts, token))) return { code: 'rate-limited' };
    const refused = await parts.protection.breaker.refuseCall(probe, timeoutMs);
    return refused === undefined ? undefined : { code: 'circuit-open', ...refused };
  } catch {
    return { code: 'gate-unanswered' };
  }
}

/** Ends at the instant of a token that is not void, or without one. */
async function holdToken(
  { protection: { limiter }, wish, clock }: CallGuardParts,
  first: Promise<Token | undefined> | undefined,
): Promise<boolean> {
  const deadlineMs = clock.nowMs() + wish.maxWaitMs;
  let token = await (first ?? limiter.take(wish));
  while (token !== undefined) {
    if (await limiter.use(token)) return true;
    if (clock.nowMs() > deadlineMs) return false;
    token = await limiter.take(wish);
  }
  return false;
}

function putOff({ code, retryAfterMs }: Refusal, acted: boolean): Error {
  return acted ? new RetryableError(code, { sent: 'maybe', retryAfterMs }) : new Deferral(code, { retryAfterMs });
}
