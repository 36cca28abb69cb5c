import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { CreateEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMailTable } from '#shared/aws/mail-table.ts';
import { createSesClient } from '#shared/aws/ses-client.ts';
import { createSesMail } from '#shared/aws/ses-mail.ts';
import type { MailPort } from '#shared/mail/mail-port.ts';
import { systemClock as clock } from '#shared/runtime/clock.ts';
import { systemRandom as random } from '#shared/runtime/random.ts';
import { plainTable } from '../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../support/fake-aws/request-handler.ts';
import { createFakeSes } from '../support/fake-ses.ts';
import { endpoint } from './target.ts';

interface MailBench {
  readonly mail: MailPort;
  close(): Promise<unknown>;
}

const FROM = 'orders@shop.example';
const TO = '{userId}@customers.example';
const TABLE = 'Mail';
const onSenderRefused = (sentence: string): never => expect.fail(sentence);

async function openTable(): Promise<MailBench> {
  const { dynamodb } = fakeTable();
  return { mail: createMailTable(dynamodb, { tableName: TABLE, random, clock }), close: async () => undefined };
}

async function openSes(): Promise<MailBench> {
  const { dynamodb } = fakeTable();
  const ses = createSesClient({ sdk: createFakeSes().sdk });
  return {
    mail: createSesMail({ ses, dynamodb, tableName: TABLE, from: FROM, to: TO, clock, onSenderRefused }),
    close: async () => undefined,
  };
}

/** SES and DynamoDB of an emulator. */
const openEmulatedSes = (url: string) => async (): Promise<MailBench> => {
  const tableName = `Mail-${randomUUID()}`;
  const dynamodb = new DynamoDBClient({ endpoint: url });
  const { timeToLiveAttribute: _, ...definition } = plainTable(tableName, ['deliveryKey', 'deliveryId']);
  await dynamodb.send(new CreateTableCommand({ ...(definition as object), TableName: tableName, BillingMode: 'PAY_PER_REQUEST' } as never));
  await waitUntilTableExists({ client: dynamodb, maxWaitTime: 20, minDelay: 1, maxDelay: 1 }, { TableName: tableName });
  const ses = createSesClient({ sdk: {}, endpoint: url });
  for (const EmailIdentity of ['shop.example', 'customers.example']) await ses.send(new CreateEmailIdentityCommand({ EmailIdentity }));
  return {
    mail: createSesMail({ ses, dynamodb, tableName, from: FROM, to: TO, clock, onSenderRefused }),
    close: () => dynamodb.send(new DeleteTableCommand({ TableName: tableName })),
  };
};

function fakeTable() {
  const aws = createFakeAws({ now: () => 0 });
  aws.dynamodb.createTable(plainTable(TABLE, ['deliveryKey', 'deliveryId']));
  return { dynamodb: new DynamoDBClient(aws.clientConfig) };
}

const receipt = (deliveryKey: string) => ({
  deliveryKey,
  userId: 'u-1',
  orderId: 'ord-1',
  amountMinor: 4_999,
  currency: 'EUR',
  captureId: 'cap-1',
});

function describeMail(name: string, open: () => Promise<MailBench>): void {
  describe(`mail by ${name}`, () => {
    let bench: MailBench;
    beforeAll(async () => {
      bench = await open();
    });
    afterAll(() => bench.close());

    it('knows what it sent, by the intent', async () => {
      expect(await bench.mail.wasSent('receipt:u-1/ord-1:1')).toBe(false);
      await bench.mail.send(receipt('receipt:u-1/ord-1:1'));
      expect(await bench.mail.wasSent('receipt:u-1/ord-1:1')).toBe(true);
    });

    it('takes another attempt of the same order for another intent', async () => {
      await bench.mail.send(receipt('receipt:u-1/ord-2:1'));
      expect(await bench.mail.wasSent('receipt:u-1/ord-2:2')).toBe(false);
      await bench.mail.send(receipt('receipt:u-1/ord-2:2'));
      expect(await bench.mail.wasSent('receipt:u-1/ord-2:2')).toBe(true);
    });
  });
}

describeMail('the table', openTable);
describeMail('SES', openSes);
if (endpoint !== undefined) describeMail(`SES at ${endpoint}`, openEmulatedSes(endpoint));
