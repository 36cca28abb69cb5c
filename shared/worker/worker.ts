import type { DerivedTiming } from '#shared/contract/timing.ts';
import type { DeadLetterPort } from '#shared/dead-letter/letter.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import type { AnyJobDefinition } from './define-job.ts';
import type { Gate } from './gate.ts';

/** The world of one worker function: one job kind and everything it may touch. */
export interface Worker {
  readonly definition: AnyJobDefinition;
  readonly timing: DerivedTiming;
  /** Multiplies retry delays; 1 but in stage `local`. */
  readonly timeScale: number;
  readonly store: ItemStore;
  /** Decides before the claim, and gives out the ports a run may use. */
  readonly gate: Gate;
  /** Makes a message invisible for longer while its run reports progress. */
  readonly extendVisibility: (delivery: Delivery, visibilityTimeoutSeconds: number) => Promise<void>;
  /** How long the provider remembers an idempotency key. */
  readonly keyHorizonMs: number;
  /** How long after its intent an unanswered outcome becomes a dead letter. */
  readonly unresolvedAfterMs: number;
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
  /** The message brings the letter of a dead letter along: somebody moved it back by SQS's own means. */
  readonly carriesLetter?: boolean;
  /** The fence of the discard that the message was replayed from, where it was. */
  readonly replayOf?: number;
  /** How often people have brought the message back. */
  readonly replays?: number;
  /** When the message was first received. */
  readonly firstReceivedAtMs: number;
  /** The message's group on a FIFO queue; absent where order does not matter. */
  readonly fifoGroup?: string;
}

/** What becomes of a message, with the facts worth a log line. */
export type Ending = { readonly outcome: string; readonly facts: EndingFacts } & (
  | { readonly action: 'ack' }
  | { readonly action: 'hand-back'; readonly delayMs: number }
);

export interface EndingFacts {
  readonly key?: string;
  /** What the request that set it off is found by. */
  readonly trace?: string;
  readonly owner?: string;
  readonly fence?: number;
  readonly attempt?: number;
  readonly code?: string;
  /** The message's version, where it is not the one this code writes. */
  readonly version?: number;
  /** How long a message that was put off has been waiting. */
  readonly ageMs?: number;
  readonly durationMs?: number;
}
