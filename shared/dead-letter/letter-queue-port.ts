/** A dead-letter queue as an operator's tools need it. Adapter: shared/aws/letter-queue.ts. */
export interface LetterQueuePort {
  /** @param most at most 10; @param hiddenForSeconds how long nobody else gets the letters */
  receive(most: number, hiddenForSeconds: number): Promise<readonly ReceivedLetter[]>;
  /** Takes letters away for good. @returns those that may still be there */
  remove(letters: readonly ReceivedLetter[]): Promise<readonly EntryFailure[]>;
  /** Hides letters until then; 0 gives them back. @returns those that come back by their visibility timeout instead */
  hide(letters: readonly ReceivedLetter[], seconds: number): Promise<readonly EntryFailure[]>;
}

/** The queue whose dead letters they are. Adapter: shared/aws/message-sender.ts. */
export interface MessageSenderPort {
  /** Never throws for a refused or unanswered call. @returns the messages that are not known to be accepted */
  send(queueUrl: string, messages: readonly OutgoingLetter[]): Promise<readonly EntryFailure[]>;
}

/** A message attribute, whatever it means. */
export interface LetterAttribute {
  readonly dataType: string;
  readonly text?: string | undefined;
  readonly bytes?: Uint8Array | undefined;
}

/** A letter as its queue hands it out. */
export interface ReceivedLetter {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, LetterAttribute>>;
  readonly group?: string | undefined;
  readonly traceHeader?: string | undefined;
  /** On a standard queue SQS counts a letter's age from when its message was first sent. */
  readonly sentAtMs: number;
  /** Looks count too: it says nothing about attempts. */
  readonly receiveCount: number;
  /** SQS redrove it here by itself, from this queue. */
  readonly sourceArn?: string | undefined;
}

export interface OutgoingLetter {
  /** Unique within one call. */
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, LetterAttribute>>;
  readonly traceHeader?: string | undefined;
  readonly group?: string | undefined;
  /** For a FIFO queue, which takes nothing without it. */
  readonly deduplicationId?: string | undefined;
  /** Told the id SQS gave the message, once SQS has it. */
  readonly onSent?: ((messageId: string) => void) | undefined;
}

export interface EntryFailure {
  readonly messageId: string;
  /** AWS's own word; `unanswered` when there was none and the call may have been carried out all the same. */
  readonly code: string;
}
