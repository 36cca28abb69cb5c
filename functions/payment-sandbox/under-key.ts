import type { Effect } from '#shared/payments/sandbox-ledger.ts';
import { type Answer, problem, stored } from './answer.ts';
import { keyInUse } from './withheld.ts';
import type { SandboxWorld } from './world.ts';

/** Keys and their answers, declines and errors too, are remembered this long. */
export const KEY_MEMORY_MS = 24 * 3_600_000;
/** No call lives longer (the gateway ends it after 30 s), so a key still in use past this belongs to a process that died. */
const KEY_LOCK_MS = 30_000;
/** Other keys may change the same intent between looking and settling; then it is looked at again. */
const MAX_TURNS = 8;
const TURN_PAUSE_MS = 20;

export interface Decided {
  readonly answer: Answer;
  readonly effect?: Effect;
}

export interface Keyed {
  readonly answer: Answer;
  /** `decided`: by this call. `replayed`: the key's stored answer. `refused`: the key is in use or was used for another body. */
  readonly how: 'decided' | 'replayed' | 'refused';
}

/**
 * Runs `decide` at most once for a key and stores its answer and its effect in one write, so no crash can charge without
 * remembering. A holder that lost its key writes nothing.
 *
 * Does not protect against one payment under two keys.
 */
export async function underKey(
  call: { key: string; bodyHash: string },
  world: SandboxWorld,
  decide: () => Promise<Decided>,
): Promise<Keyed> {
  const { ledger, clock, random } = world;
  const owner = random.token();
  const nowMs = clock.nowMs();
  const claim = await ledger.claimKey({ ...call, owner, nowMs, lockedUntilMs: nowMs + KEY_LOCK_MS, expiresAtMs: nowMs + KEY_MEMORY_MS });
  if (claim.outcome === 'answered') return { how: 'replayed', answer: stored(claim.status, claim.body) };
  if (claim.outcome === 'other-body') return { how: 'refused', answer: keyReused() };
  if (claim.outcome === 'in-use') return { how: 'refused', answer: keyInUse() };
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const { answer, effect } = await decide();
    const { status, body } = answer;
    const settled = await ledger.settle({
      key: call.key,
      owner,
      nowMs: clock.nowMs(),
      status,
      body,
      ...(effect === undefined ? {} : { effect }),
    });
    if (settled === 'settled') return { how: 'decided', answer };
    if (settled === 'key-lost') return { how: 'refused', answer: keyInUse() };
    await clock.sleep(TURN_PAUSE_MS * turn);
  }
  return { how: 'refused', answer: problem(503, 'unavailable', 'The payment intent is busy. Send the same request again later.') };
}

const keyReused = (): Answer =>
  problem(
    400,
    'idempotency-key-reused',
    'This Idempotency-Key was used for another request. Send the first request again, or use a new key.',
  );
