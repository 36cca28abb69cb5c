import { MAIL_SENDER_REFUSED } from '#shared/contract/metric-names.ts';
import type { AlarmRule } from './alarm-rule.ts';
import { FIVE_MINUTES, ownMetric } from './measures.ts';

/** Of stages that send receipts by SES. */
export const mailRules = (): AlarmRule[] => [
  {
    id: 'MailSenderRefused',
    says: 'SES sends nothing from our sender: it is not verified, paused or suspended, or the worker has no right to it. Receipts wait.',
    runbook: 'mail-sender-refused',
    metric: ownMetric(MAIL_SENDER_REFUSED, undefined, FIVE_MINUTES),
    atLeast: 1,
    // Each waiting receipt is tried again every quarter of an hour.
    periods: { breaching: 1, of: 4 },
  },
];
