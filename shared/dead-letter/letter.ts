import { createHash } from 'node:crypto';

/** Why a message ended in its dead-letter queue. Travels as one message attribute beside the untouched body. */
export interface Letter {
  readonly reason: string;
  /** What to look at first; names fields and codes, never values. */
  readonly detail?: string;
  /** Groups letters of one cause. */
  readonly fingerprint: string;
  readonly attempts: number;
  /** How often people had brought the message back when it ended here; absent for never. */
  readonly replays?: number;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly schemaVersion?: number;
  readonly trace?: string;
}

export const LETTER_ATTRIBUTE = 'andal';

/** On a replayed message: the fence of the discard it opened again. An item that shows that discard, or an earlier one, has forgotten the replay. */
export const REPLAY_ATTRIBUTE = 'andal-replay';

/** On a replayed message: which replay of it this is, counted from 1. The worker writes the count on the next letter. */
export const REPLAYS_ATTRIBUTE = 'andal-replays';

/** Anybody may set an attribute: what is no count counts as none. */
export const replaysIn = (text: string | undefined): number => (/^[1-9]\d{0,5}$/.test(text ?? '') ? Number(text) : 0);

export interface LetterFacts {
  readonly kind: string;
  readonly reason: string;
  readonly detail?: string | undefined;
  readonly attempts: number;
  readonly replays?: number | undefined;
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
  replays = 0,
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
  ...(replays === 0 ? {} : { replays }),
  firstSeenAt: new Date(firstSeenAtMs).toISOString(),
  lastSeenAt: new Date(lastSeenAtMs).toISOString(),
  ...(schemaVersion === undefined ? {} : { schemaVersion }),
  ...(trace === undefined ? {} : { trace }),
});

/** Where letters go. Resolves once the queue has them. */
export interface DeadLetterPort {
  /** @param fifo left out where the queue is no FIFO queue */
  send(body: string, letter: Letter, fifo?: FifoLetter): Promise<void>;
}

export interface FifoLetter {
  /** The message's own; the letter keeps it. */
  readonly group: string;
  /**
   * Whose discard the letter is about, where one stands on an item: a letter that is sent again for one discard is one letter, and the
   * next discard of the same message has one of its own.
   */
  readonly ending?: string | undefined;
}
