import { Deferral, PermanentError, type RunFailure, UnknownOutcome } from '#shared/worker/outcome.ts';

/**
 * What it means that SES did not take a mail. Total; judged by name and status.
 *
 * | SES says | we | why |
 * | --- | --- | --- |
 * | sender not verified, sending paused, account suspended, no right to send | put off, alarm | true of every mail until a person acts |
 * | too many requests, quota used up | put off | nothing was sent |
 * | anything else it refuses (4xx) | dead letter | true of this mail alone |
 * | no answer, 5xx | unknown | it may have been sent |
 *
 * Does not protect against a refusal that SES makes after it took the mail: a bounce is none of ours to see here.
 */
export interface Refusal {
  readonly failure: RunFailure;
  /** Nothing was sent, so another try may send. */
  readonly isUnsent: boolean;
  /** What a person has to do, where every mail waits for it. */
  readonly sentence: string | undefined;
}

const SENDER_WAITS_MS = 15 * 60_000;

const SENTENCES: Readonly<Record<string, string>> = {
  MailFromDomainNotVerifiedException: 'receipts wait: SES has not verified the MAIL FROM domain of the sender',
  SendingPausedException: 'receipts wait: sending is paused for this account or configuration set in SES',
  AccountSuspendedException: 'receipts wait: SES has suspended sending for this account',
  AccessDeniedException: 'receipts wait: the role of the worker may not send from this address (ses:SendEmail)',
  NotFoundException: 'receipts wait: SES does not know the sender’s identity in this region',
};
const UNVERIFIED =
  'receipts wait: SES has not verified an address they use; verify the sender, and leave the SES sandbox before mailing customers';
const LIMITED = new Set(['TooManyRequestsException', 'LimitExceededException', 'ThrottlingException']);

export function readRefusal(error: unknown): Refusal {
  const {
    name = '',
    message = '',
    $metadata: { httpStatusCode: status = 0 } = {},
  } = error as {
    name?: string;
    message?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const sentence = name === 'MessageRejected' && /not verified/i.test(message) ? UNVERIFIED : SENTENCES[name];
  if (sentence !== undefined) {
    const failure = new Deferral('mail-sender-refused', { delayMs: SENDER_WAITS_MS, cause: error });
    return { failure, isUnsent: true, sentence: `${sentence}. See docs/real-parts.md.` };
  }
  if (LIMITED.has(name) || status === 429) return unsent(new Deferral('mail-limited', { cause: error }));
  if (status >= 400 && status < 500) return unsent(new PermanentError('mail-refused', { answered: true, cause: error }));
  return { failure: new UnknownOutcome('mail-unanswered', { cause: error }), isUnsent: false, sentence: undefined };
}

const unsent = (failure: RunFailure): Refusal => ({ failure, isUnsent: true, sentence: undefined });
