import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMailTable } from '#shared/aws/mail-table.ts';
import { createSesClient } from '#shared/aws/ses-client.ts';
import { createSesMail } from '#shared/aws/ses-mail.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { job } from '#shared/worker/define-job.ts';
import { openGate } from '#shared/worker/gate.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { Deferral, PermanentError, UnknownOutcome } from '#shared/worker/outcome.ts';
import { plainTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeSes, type SesTurn } from '../../support/fake-ses.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';

const KEY = 'receipt:u-1/ord-1:1';
const receipt = { deliveryKey: KEY, userId: 'u-1', orderId: 'ord-1', amountMinor: 4_999, currency: 'EUR', captureId: 'cap-1' };

const bench = () => {
  const worker = createWorkerBench();
  const { aws, clock } = worker;
  aws.dynamodb.createTable(plainTable('Mail', ['deliveryKey', 'deliveryId']));
  const dynamodb = new DynamoDBClient({ ...aws.clientConfig, maxAttempts: 1 });
  const fake = createFakeSes();
  const sentences: string[] = [];
  const mail = createSesMail({
    ses: createSesClient({ sdk: fake.sdk }),
    dynamodb,
    tableName: 'Mail',
    from: 'orders@shop.example',
    to: '{userId}@customers.example',
    clock,
    onSenderRefused: (sentence) => sentences.push(sentence),
  });
  const body = JSON.stringify(
    outboxMessage(
      job(sendReceipt, { userId: 'u-1', orderId: 'ord-1', attempt: 1, amountMinor: 4_999, currency: 'EUR', captureId: 'cap-1' }),
      clock.nowMs(),
    ),
  );
  const deliver = (firstReceivedAtMs?: number) =>
    worker.deliver(body, {
      definition: sendReceipt,
      world: { gate: openGate({ ...worker.ports, mail }) },
      ...(firstReceivedAtMs === undefined ? {} : { firstReceivedAtMs }),
    });
  return { ...worker, dynamodb, fake, mail, sentences, deliver };
};

const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a receipt by SES', () => {
  let now: ReturnType<typeof bench>;
  beforeEach(() => {
    now = bench();
  });

  it('says to whom, from whom and how much, in the digits of its currency', async () => {
    await now.mail.send(receipt);
    await now.mail.send({ ...receipt, deliveryKey: 'other', currency: 'JPY' });
    expect(now.fake.mails.map(({ from, to, subject }) => [from, to, subject])[0]).toEqual([
      'orders@shop.example',
      'u-1@customers.example',
      'Receipt for order ord-1',
    ]);
    expect(now.fake.mails.map(({ text }) => text.replaceAll('\u00a0', ' '))).toEqual([
      expect.stringContaining('EUR 49.99'),
      expect.stringContaining('JPY 4,999'),
    ]);
  });

  it('is sent once, however often it is asked for', async () => {
    await Promise.allSettled([now.mail.send(receipt), now.mail.send(receipt), now.mail.send(receipt)]);
    await now.mail.send(receipt);
    expect(now.fake.mails).toHaveLength(1);
  });

  it('is never sent again when nobody knows whether it was', async () => {
    now.fake.turns.push('take-unanswered');
    expect(await thrownBy(now.mail.send(receipt))).toBeInstanceOf(UnknownOutcome);
    expect(await thrownBy(now.mail.send(receipt))).toBeInstanceOf(UnknownOutcome);
    expect(await thrownBy(now.mail.wasSent(KEY))).toBeInstanceOf(UnknownOutcome);
    expect(now.fake.mails).toHaveLength(1);
  });

  it('ends as a letter for a person, sent once, when nobody has known for two days', async () => {
    now.fake.turns.push('take-unanswered');
    const firstReceivedAtMs = now.clock.nowMs();
    let hours = 0;
    while ((await now.deliver(firstReceivedAtMs)).outcome === 'unknown' && hours < 100) {
      now.clock.advance(3_600_000);
      hours += 1;
    }
    expect(hours).toBeGreaterThanOrEqual(48);
    expect(hours).toBeLessThan(60);
    expect(now.letters).toHaveLength(1);
    expect(now.fake.mails).toHaveLength(1);
  });

  it('is not handed to SES while the table cannot witness it', async () => {
    now.aws.fault = ({ operation }) =>
      operation === 'PutItem' ? { error: 'InternalServerError', status: 500, applied: false } : undefined;
    expect(await thrownBy(now.mail.send(receipt))).toBeInstanceOf(Error);
    expect(now.fake.mails).toEqual([]);
  });

  it('counts as sent when only the note of it was lost', async () => {
    let puts = 0;
    now.aws.fault = ({ operation }) =>
      operation === 'PutItem' && ++puts === 2 ? { error: 'InternalServerError', status: 500, applied: false } : undefined;
    expect((await now.deliver()).outcome).toBe('committed');
    expect(now.fake.mails).toHaveLength(1);
  });

  it('was sent, too, when the mail table of the stage’s earlier days has it', async () => {
    await createMailTable(now.dynamodb, { tableName: 'Mail', random: { token: () => 'd-1' }, clock: now.clock }).send(receipt);
    expect(await now.mail.wasSent(KEY)).toBe(true);
  });

  it.each<[string, SesTurn]>([
    [
      'an unverified sender',
      { error: 'MessageRejected', status: 400, message: 'Email address is not verified. Identity: orders@shop.example' },
    ],
    ['an unverified MAIL FROM domain', { error: 'MailFromDomainNotVerifiedException', status: 400 }],
    ['paused sending', { error: 'SendingPausedException', status: 400 }],
    ['a suspended account', { error: 'AccountSuspendedException', status: 400 }],
    ['a role without the right', { error: 'AccessDeniedException', status: 403 }],
  ])('waits, unspent and with one sentence that names nobody, for %s, and is sent once that is repaired', async (_what, turn) => {
    now.fake.turns.push(turn, turn);
    for (let tries = 1; tries <= 2; tries += 1) {
      expect((await now.deliver()).outcome).toBe('deferred');
      now.clock.advance(15 * 60_000);
    }
    expect(now.letters).toEqual([]);
    expect(now.sentences).toHaveLength(2);
    expect(now.sentences[0]).toMatch(/^receipts wait: .*docs\/real-parts\.md\.$/);
    expect(now.sentences.join()).not.toContain('shop.example');
    expect((await now.deliver()).outcome).toBe('committed');
    expect(now.fake.mails).toHaveLength(1);
  });

  it.each<[string, SesTurn, new (...args: never[]) => Error]>([
    ['too many requests', { error: 'TooManyRequestsException', status: 429 }, Deferral],
    ['a quota used up', { error: 'LimitExceededException', status: 400 }, Deferral],
    ['a mail that SES refuses', { error: 'MessageRejected', status: 400 }, PermanentError],
    ['an address that is none', { error: 'BadRequestException', status: 400 }, PermanentError],
    ['a failure of SES', { error: 'InternalFailure', status: 500 }, UnknownOutcome],
  ])('ends as it has to after %s, without a sentence to a person', async (_what, turn, kind) => {
    now.fake.turns.push(turn);
    expect(await thrownBy(now.mail.send(receipt))).toBeInstanceOf(kind);
    expect(now.sentences).toEqual([]);
  });
});
