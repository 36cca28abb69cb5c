import { describeError } from '../output/cli-error.ts';

const QUEUE_GONE = 'Its queue does not exist any more, so its message has nowhere to go. Deploy the stage again, then run this once more.';
const HELD_BY_OTHERS =
  'It was done, but the letter is still there: somebody else received it meanwhile, so this receipt for it was no longer good. Run this once more.';

const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^not-sent: .*(QueueDoesNotExist|NonExistentQueue)/, QUEUE_GONE],
  [
    /^not-sent: .*AccessDenied|^not-sent: Kms/i,
    'These credentials may not send to its queue. Ask for sqs:SendMessage on it, or use another --profile.',
  ],
  [/^not-sent: unanswered/, 'Its queue did not say whether it took the message. Run this once more; a second copy does nothing twice.'],
  [/^not-sent: /, 'Its queue did not take the message.'],
  [/^not-deleted: (ReceiptHandleIsInvalid|InvalidParameterValue|MessageNotInflight)/, HELD_BY_OTHERS],
  [/^not-deleted: .*AccessDenied/i, 'It was done, but these credentials may not delete letters: sqs:DeleteMessage is missing.'],
  [/^not-deleted: /, 'It was done, but whether the letter was deleted is not known. Run this once more.'],
];

/** What went wrong with a letter, where the letter is now, and what to do; without a stack trace. */
export function describeFailure(code: string, error: unknown): string {
  const known = SENTENCES.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return known[1];
  return error === undefined
    ? 'Something did not answer; the letter is where it was.'
    : `${describeError(error)} The letter is where it was.`;
}
