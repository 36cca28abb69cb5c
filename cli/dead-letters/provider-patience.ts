import { setTimeout as wait } from 'node:timers/promises';
import { type ProviderCall, ProviderError } from '#shared/payments/payment-port.ts';
import type { AskablePayments } from './provider.ts';

/** A worker has others waiting behind it; a person has not. */
const ANSWER_WITHIN_MS = 15_000;
/** Hundreds of questions at a time are what a provider answers with a refusal. */
const AT_ONCE = 4;
const BEFORE_ASKING_AGAIN_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;

interface Patience {
  readonly atOnce?: number;
  readonly answerWithinMs?: number;
  sleep?(durationMs: number): Promise<unknown>;
}

/**
 * Asks a few questions at a time, waits for each as long as a person would, and repeats one that got no usable answer once. A closed
 * intent keeps its key, so that closing may be repeated, too.
 *
 * Does not protect against a provider that is silent for longer: it stays unanswered, and a discard is refused for it.
 */
export function patiently(payments: AskablePayments, patience: Patience = {}): AskablePayments {
  const { atOnce = AT_ONCE, answerWithinMs = ANSWER_WITHIN_MS, sleep = wait } = patience;
  const inTurn = limited(atOnce);
  const ask = <Answer>(send: (call: ProviderCall) => Promise<Answer>, call: ProviderCall): Promise<Answer> => {
    const once = (): Promise<Answer> => send({ ...call, timeoutMs: Math.max(call.timeoutMs, answerWithinMs) });
    return inTurn(async () => {
      try {
        return await once();
      } catch (error) {
        if (!(error instanceof ProviderError) || error.permanent) throw error;
        await sleep(Math.min(LONGEST_PAUSE_MS, error.retryAfterMs ?? BEFORE_ASKING_AGAIN_MS));
        return once();
      }
    });
  };
  return {
    find: (request, call) => ask((patient) => payments.find(request, patient), call),
    void: (request, call) => ask((patient) => payments.void(request, patient), call),
  };
}

/** Runs so many at a time, the others in the order they came. */
function limited(atOnce: number): <Answer>(work: () => Promise<Answer>) => Promise<Answer> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnce) await new Promise<void>((resolve) => queue.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // Whoever is next takes this place.
      const next = queue.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
