import type { RedrivenQueue } from '../constructs/redriven-queue.ts';
import type { AlarmRule } from './alarm-rule.ts';
import { FIVE_MINUTES, MINUTE, math, queueMetric } from './measures.ts';
import { oldLetterSeconds } from './objectives.ts';

export interface WatchedQueue {
  /** Of the kind, or what the queue is for. */
  readonly name: string;
  readonly queue: RedrivenQueue;
  /** How old the oldest message may be. */
  readonly objectiveSeconds: number;
  /** At once where a message that comes back is left out of the age before long (SQS does so after its third receive). */
  readonly atOnce?: boolean;
  readonly runbook: { readonly lag: string; readonly letters: string };
}

/** What is told of every queue and its dead-letter queue. */
export function queueRules({
  name,
  queue: { queue, deadLetterQueue, visibilityTimeoutSeconds },
  objectiveSeconds,
  atOnce = false,
  runbook,
}: WatchedQueue) {
  const visible = queueMetric(deadLetterQueue, 'ApproximateNumberOfMessagesVisible', FIVE_MINUTES);
  // Somebody who looks at letters hides them for a moment; that they come back is no growth.
  const hidden = queueMetric(deadLetterQueue, 'ApproximateNumberOfMessagesNotVisible', FIVE_MINUTES);
  return [
    {
      id: `Lag-${name}`,
      says: `The oldest message of ${name} has waited for ${objectiveSeconds} s and longer.`,
      runbook: runbook.lag,
      metric: queueMetric(queue, 'ApproximateAgeOfOldestMessage', MINUTE),
      atLeast: objectiveSeconds,
      periods: atOnce ? { breaching: 1, of: 1 } : { breaching: 3, of: 5 },
    },
    {
      id: `DeadLetters-${name}`,
      says: `Letters of ${name} wait for a person.`,
      runbook: runbook.letters,
      // How many were sent says nothing: what SQS moves by itself is not counted there.
      metric: queueMetric(deadLetterQueue, 'ApproximateNumberOfMessagesVisible', MINUTE),
      atLeast: 1,
    },
    {
      id: `DeadLettersGrow-${name}`,
      says: `More letters of ${name} have come in. Goes off for each growth, also while the alarm on letters that wait stays on.`,
      runbook: runbook.letters,
      metric: math('DIFF(visible + hidden)', { visible, hidden }, FIVE_MINUTES),
      atLeast: 1,
      // A difference needs the period before.
      periods: { breaching: 1, of: 2 },
    },
    {
      id: `LettersOld-${name}`,
      says: `A letter of ${name} is so old that SQS will delete it before long.`,
      runbook: runbook.letters,
      metric: queueMetric(deadLetterQueue, 'ApproximateAgeOfOldestMessage', FIVE_MINUTES),
      atLeast: oldLetterSeconds(visibilityTimeoutSeconds),
    },
  ] satisfies AlarmRule[];
}
