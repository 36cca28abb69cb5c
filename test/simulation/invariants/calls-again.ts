import type { ProviderAnswer, ProviderCall } from '../provider/provider-requests.ts';
import type { Execution } from './executions.ts';

/** Refused before anything was acted on; every other answer leaves open what its caller has heard. */
const NOT_ACTED_ON = new Set([400, 401, 403, 404, 405, 413, 414, 415, 422, 429, 431]);

export interface CallsAgain {
  /** @returns the earlier call that has to be asked about first */
  providerCalled(call: ProviderCall, behind: readonly Execution[]): ProviderCall | undefined;
  providerAnswered(call: ProviderCall, answer: ProviderAnswer): void;
}

/**
 * Counted by what has reached the provider, whatever the item says of it: an item that forgets a call is what goes wrong. A call of
 * before the claim may have done its work, so whoever claims after it has to ask before calling again.
 */
export function trackCallsAgain(): CallsAgain {
  const open = new Map<string, ProviderCall[]>();
  /** A claim makes one call of a kind. */
  const hasCalled = new WeakSet<Execution>();
  return {
    providerCalled(call, behind) {
      const name = `${call.operation} ${call.key}`;
      const earlier = open.get(name) ?? [];
      open.set(name, [...earlier, call]);
      const able = behind.filter((execution) => !hasCalled.has(execution));
      const [only] = able;
      if (only !== undefined && able.length === 1) hasCalled.add(only);
      return earlier.find(({ sentAtMs }) => able.every(({ claimedAtMs, wasAnswered }) => !wasAnswered && sentAtMs < claimedAtMs));
    },
    providerAnswered(call, { status }) {
      if (!NOT_ACTED_ON.has(status)) return;
      const name = `${call.operation} ${call.key}`;
      open.set(
        name,
        (open.get(name) ?? []).filter((one) => one !== call),
      );
    },
  };
}
