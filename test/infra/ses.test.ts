import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as environment from '#shared/contract/environment.ts';
import { ACKNOWLEDGED_FINDINGS } from '../../infra/acknowledged-findings.ts';
import { acknowledges, findingsIn } from '../../infra/checks/reviewed-findings.ts';
import { readSettings, type Settings } from '../../infra/settings.ts';
import { iamMatrixOf } from './iam-matrix.ts';
import { type CfnTemplate, resourceNamed, resourcesOf, synthesize } from './synthesize.ts';

const receipts = { from: 'orders@shop.example', to: '{userId}@customers.example' };
const withSes = (settings: Settings): Settings => ({ ...settings, receipts });
const without = synthesize('prod', { bundle: true });
const { app, pipeline, observability, doubts, directory } = synthesize('prod', { bundle: true, validate: true, change: withSes });
afterAll(() => {
  for (const path of [without.directory, directory]) rmSync(path, { recursive: true, force: true });
});

describe('a stage that sends receipts by SES', () => {
  it('passes CloudFormation’s rules, and every finding of cdk-nag has its reason', () => {
    expect(doubts).toEqual([]);
    const open = findingsIn(app).filter((finding) => !ACKNOWLEDGED_FINDINGS.some((one) => acknowledges(one, finding)));
    expect(open.map(({ rule, at }) => `${rule} at ${at}`)).toEqual([]);
  });

  it('lets one worker send, from the one sender, and take back what was not sent', async () => {
    const lines = (template: CfnTemplate): string[] =>
      Object.entries(iamMatrixOf(template)).flatMap(([name, actions]) =>
        Object.entries(actions).flatMap(([action, resources]) => resources.map((resource) => `${name}  ${action}  ${resource}`)),
      );
    const before = lines(without.pipeline);
    expect(lines(pipeline).filter((line) => !before.includes(line))).toEqual([
      'execute-job/send-receipt  dynamodb:DeleteItem  Mail',
      'execute-job/send-receipt  dynamodb:GetItem  Mail',
      'execute-job/send-receipt  ses:SendEmail  the sender',
    ]);
    const statements = resourcesOf(pipeline, 'AWS::IAM::Policy').flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement);
    const sending = statements.filter(({ Action }: { Action: unknown }) => JSON.stringify(Action).includes('ses:'));
    expect(sending).toHaveLength(1);
    expect(JSON.stringify(sending)).toMatch(/:identity\/orders@shop\.example.*:identity\/shop\.example/);
  });

  it('tells that worker sender and recipients, as it will parse them', () => {
    const [, { Properties }] = resourceNamed(pipeline, 'AWS::Lambda::Function', 'Workersendreceipt');
    const { NODE_OPTIONS: _, ...variables } = Properties['Environment'].Variables;
    const wanted = { ...environment.executeJobEnvironment.shape, ...environment.sesEnvironment.shape };
    expect(Object.keys(variables).sort()).toEqual(Object.keys(wanted).sort());
    expect(variables).toMatchObject({ MAIL_FROM: receipts.from, MAIL_TO: receipts.to });
  });

  it('tells somebody when SES refuses the sender', () => {
    const [, { Properties }] = resourceNamed(observability as CfnTemplate, 'AWS::CloudWatch::Alarm', 'MailSenderRefused');
    expect(Properties).toMatchObject({ MetricName: 'MailSenderRefused', Threshold: 1 });
    expect(Properties['AlarmActions']).toHaveLength(1);
  });
});

describe('a stage that does not', () => {
  it('bundles no client of SES, and one that does in that worker alone', () => {
    const clientsIn = (folder: string): string[] =>
      readdirSync(folder)
        .filter((name) => name.startsWith('asset.') && readdirSync(join(folder, name)).includes('index.mjs.map'))
        .filter((name) => readFileSync(join(folder, name, 'index.mjs.map'), 'utf8').includes('@aws-sdk/client-sesv2/'));
    expect(clientsIn(without.directory)).toEqual([]);
    expect(clientsIn(directory)).toHaveLength(1);
  });

  it('has no alarm for it', () => {
    const alarms = resourcesOf(without.observability as CfnTemplate, 'AWS::CloudWatch::Alarm').map(([id]) => id);
    expect(alarms.filter((id) => id.startsWith('MailSenderRefused'))).toEqual([]);
  });
});

describe('the setting', () => {
  const prod = { stage: 'prod', paymentProviderUrl: 'https://payments.example' };

  it('is none unless someone names a sender and where customers are reached', () => {
    expect(readSettings(prod).receipts).toBeUndefined();
    expect(readSettings({ ...prod, mailFrom: receipts.from, mailTo: receipts.to }).receipts).toEqual(receipts);
  });

  it.each([
    [{ mailFrom: 'orders', mailTo: receipts.to }, 'mailFrom is no mail address'],
    [{ mailTo: receipts.to }, 'mailFrom is no mail address'],
    [{ mailFrom: receipts.from }, 'mailTo is no address with {userId}'],
    [{ mailFrom: receipts.from, mailTo: 'all@customers.example' }, 'mailTo is no address with {userId}'],
  ])('says what to pass instead of %j', (given, sentence) => {
    expect(() => readSettings({ ...prod, ...given })).toThrow(sentence);
  });

  it('is refused in the local stage', () => {
    expect(() => readSettings({ mailFrom: receipts.from, mailTo: receipts.to })).toThrow('Leave mailFrom and mailTo out.');
  });
});
