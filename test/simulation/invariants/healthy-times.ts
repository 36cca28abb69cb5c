import type { ItemWritten, Observer } from '../observer.ts';
import type { Simulation } from '../simulation.ts';

/** A provider that takes longer is not well. */
const PROMPT_MS = 2_000;
const CLOCKS_AGREE_MS = 1_000;

export interface HealthyTimes {
  /** To be told of these by whoever asks. */
  readonly watch: Required<Pick<Observer, 'providerAnswered' | 'invocationEnded' | 'disturbed'>> & {
    itemWritten(written: Pick<ItemWritten, 'table' | 'id'>): void;
    operatorActs(): void;
  };
  /** Nothing has gone wrong so far: no fault, no disturbance, no death, a provider that is well, clocks that agree, nobody paused. */
  readonly last: boolean;
}

export function createHealthyTimes({ faults, world }: Simulation): HealthyTimes {
  let troubled = false;
  return {
    watch: {
      providerAnswered(call, { status }) {
        troubled ||= status >= 400 || world.nowMs - call.sentAtMs > PROMPT_MS;
      },
      invocationEnded(_functionName, { clockAheadMs }, { how }) {
        troubled ||= how !== 'returned' || Math.abs(clockAheadMs) > CLOCKS_AGREE_MS;
      },
      itemWritten({ table, id }) {
        troubled ||= table === 'Control' && /^(?:pause|breaker|slow):/.test(id);
      },
      disturbed() {
        troubled = true;
      },
      operatorActs() {
        troubled = true;
      },
    },
    get last() {
      return !troubled && faults.injected.length === 0;
    },
  };
}
