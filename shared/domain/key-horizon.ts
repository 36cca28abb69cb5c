/**
 * From this share of the key's life before its end, nothing is charged or refunded under the key any more: an hour of a day.
 * It must exceed the function's timeout, the clocks' error and the provider's lag, so that at the horizon no call is still out.
 */
const QUIET_SHARE = 1 / 24;

/**
 * The moment from which on the key makes no call any more, only questions.
 *
 * @param intentAtMs when the intent was written on the item, which neither a replay nor a restored table can hide
 * @param keyHorizonMs how long the provider remembers a key
 */
export const lastCallAtMs = (intentAtMs: number, keyHorizonMs: number): number => intentAtMs + keyHorizonMs * (1 - QUIET_SHARE);

/** The moment the provider may have forgotten the key; calls made before the quiet time have arrived by then. */
export const forgottenAtMs = (intentAtMs: number, keyHorizonMs: number): number => intentAtMs + keyHorizonMs;

/** When a declined order that asked for it opens its next payment attempt: a key's life later, which is a day. */
export const retryDeclinedAtMs = (declinedAtMs: number, keyHorizonMs: number): number => declinedAtMs + keyHorizonMs;
