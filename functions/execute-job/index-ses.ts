import { createSesClient } from '#shared/aws/ses-client.ts';
import { createSesMail } from '#shared/aws/ses-mail.ts';
import { executeJobEnvironment, sesEnvironment } from '#shared/contract/environment.ts';
import { MAIL_SENDER_REFUSED } from '#shared/contract/metric-names.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { system } from '#shared/runtime/system.ts';
import { withoutWords } from '#shared/runtime/without-words.ts';
import { type ChosenParts, wire } from './wire.ts';

const mailBySes: NonNullable<ChosenParts['openMail']> = ({ environment, sdk, clock, createMetrics }, dynamodb, log) => {
  const { MAIL_TABLE: tableName } = readEnvironment(executeJobEnvironment.pick({ MAIL_TABLE: true }), environment);
  const { MAIL_FROM: from, MAIL_TO: to } = readEnvironment(sesEnvironment, environment);
  const measure = createMetrics('execute-job');
  return createSesMail({
    ses: createSesClient({ sdk }),
    dynamodb,
    tableName,
    from,
    to,
    clock,
    onSenderRefused: (sentence) => log.error(sentence, { ...measure({ dimensions: {}, values: { [MAIL_SENDER_REFUSED]: 1 } }) }),
  });
};

/** The entry of the worker that sends receipts, in stages that send them by SES. */
export const handler = withoutWords(wire(system, { openMail: mailBySes }));
