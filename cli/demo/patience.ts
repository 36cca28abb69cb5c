import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Something that should have happened by now and has not. */
export class TooLate extends Error {
  constructor(what: string, limitMs: number) {
    super(`${what} did not happen within ${Math.round(limitMs / 1000)} s`);
    this.name = 'TooLate';
  }
}

/**
 * Asks again and again until there is an answer.
 * @param what completes the sentence "… did not happen within 30 s"
 * @param probe returns undefined for "not yet"
 * @throws TooLate after `limitMs`
 */
export async function waitFor<Answer>(
  what: string,
  probe: () => Promise<Answer | undefined>,
  { limitMs, everyMs = 200 }: { limitMs: number; everyMs?: number },
): Promise<Answer> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined) return answer;
    if (Date.now() >= deadline) throw new TooLate(what, limitMs);
    await sleep(everyMs);
  }
}

/**
 * Calls under way at once. Each one keeps a function process busy, which the emulator runs on this machine: more hands than
 * its cores can serve only slow each other down.
 */
export const HANDS = Math.min(16, Math.max(4, 2 * availableParallelism()));

/** Works through a list with a fixed number of hands; results keep the list's order. */
export async function withHands<Input, Output>(
  hands: number,
  inputs: readonly Input[],
  work: (input: Input, index: number) => Promise<Output>,
): Promise<Output[]> {
  const results = new Array<Output>(inputs.length);
  let next = 0;
  const hand = async (): Promise<void> => {
    for (let index = next++; index < inputs.length; index = next++) results[index] = await work(inputs[index] as Input, index);
  };
  await Promise.all(Array.from({ length: Math.min(hands, inputs.length) }, hand));
  return results;
}
