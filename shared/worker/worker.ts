import type { DerivedTiming } from '#shared/contract/timing.ts';
import type { DeadLetterPort } from '#shared/dead-letter/letter.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import type { AnyJobDefinition } from './define-job.ts';
import type { Ports } from './ports.ts';

/** The world of one worker function: one job kind and everything it may touch. */
export interface Worker {
  readonly definition: AnyJobDefinition;
  readonly timing: DerivedTiming;
  /** Multiplies retry delays; 1 but in stage `local`. */
  readonly timeScale: number;
  readonly store: ItemStore;
  readonly ports: Ports;
  readonly deadLetters: DeadLetterPort;
  readonly clock: { nowMs(): number };
  readonly random: { fraction(): number; token(): string };
}

/** One received message. */
export interface Delivery {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Orders the work within a batch and decides nothing else. */
  readonly receiveCount: number;
  /** When the message was first received. */
  readonly firstReceivedAtMs: number;
}

/** What becomes of a message, with the facts worth a log line. */
export type Ending = { readonly outcome: string; readonly facts: EndingFacts } & ({ readonly action: 'ack' } | { readonly action: 'hand-back'; readonly delayMs: number });

export interface EndingFacts {
  readonly key?: string;
  readonly owner?: string;
  readonly fence?: number;
  readonly attempt?: number;
  readonly code?: string;
  readonly durationMs?: number;
}
