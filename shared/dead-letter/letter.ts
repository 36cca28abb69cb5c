import { createHash } from 'node:crypto';

/** Why a message ended in its dead-letter queue. Travels as one message attribute beside the untouched body. */
export interface Letter {
  readonly reason: string;
  /** What to look at first; names fields and codes, never values. */
  readonly detail?: string;
  /** Groups letters of one cause. */
  readonly fingerprint: string;
  readonly attempts: number;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly schemaVersion?: number;
  readonly trace?: string;
}

export const LETTER_ATTRIBUTE = 'andal';

export interface LetterFacts {
  readonly kind: string;
  readonly reason: string;
  readonly detail?: string | undefined;
  readonly attempts: number;
  readonly firstSeenAtMs: number;
  readonly lastSeenAtMs: number;
  readonly schemaVersion?: number | undefined;
  readonly trace?: string | undefined;
}

export const writeLetter = ({
  kind,
  reason,
  detail,
  attempts,
  firstSeenAtMs,
  lastSeenAtMs,
  schemaVersion,
  trace,
}: LetterFacts): Letter => ({
  reason,
  ...(detail === undefined ? {} : { detail }),
  fingerprint: createHash('sha256')
    .update(`${kind}\0${reason}\0${detail ?? ''}`)
    .digest('hex')
    .slice(0, 12),
  attempts,
  firstSeenAt: new Date(firstSeenAtMs).toISOString(),
  lastSeenAt: new Date(lastSeenAtMs).toISOString(),
  ...(schemaVersion === undefined ? {} : { schemaVersion }),
  ...(trace === undefined ? {} : { trace }),
});

/** Where letters go. Resolves once the queue has them. */
export interface DeadLetterPort {
  /** @param fifoGroup the message's group where its queue is a FIFO queue; the letter keeps it */
  send(body: string, letter: Letter, fifoGroup?: string): Promise<void>;
}
