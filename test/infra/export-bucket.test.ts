import { describe, expect, it } from 'vitest';
import { OWN_ITEM_RETENTION_DAYS } from '#shared/contract/limits.ts';
import { resourceNamed, resourcesOf, synthesize } from './synthesize.ts';

describe.each(['local', 'test', 'prod'] as const)('the export bucket of stage %s', (stage) => {
  const { data } = synthesize(stage);
  const [, { Properties }] = resourceNamed(data, 'AWS::S3::Bucket', 'ExportBucket');

  it('is private and encrypted', () => {
    expect(Properties['PublicAccessBlockConfiguration']).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(Properties['OwnershipControls'].Rules).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }]);
    expect(Properties['BucketEncryption'].ServerSideEncryptionConfiguration).toHaveLength(1);
  });

  it('refuses plain HTTP, but on the emulator, which speaks nothing else', () => {
    const policies = resourcesOf(data, 'AWS::S3::BucketPolicy').map(([, policy]) => policy.Properties['PolicyDocument'].Statement);
    if (stage === 'local') expect(policies).toEqual([]);
    else
      for (const [denied] of policies)
        expect(denied).toMatchObject({ Effect: 'Deny', Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } });
  });

  it('forgets exports, and what unfinished uploads left behind', () => {
    expect(Properties['LifecycleConfiguration'].Rules).toEqual([
      { Status: 'Enabled', ExpirationInDays: OWN_ITEM_RETENTION_DAYS, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
    ]);
  });

  it('keeps a log of who read it in prod, in a bucket that is as closed as it is', () => {
    if (stage !== 'prod') return expect(Properties['LoggingConfiguration']).toBeUndefined();
    const [logs, { Properties: logsProperties }] = resourceNamed(data, 'AWS::S3::Bucket', 'AccessLogs');
    expect(Properties['LoggingConfiguration'].DestinationBucketName).toEqual({ Ref: logs });
    expect(logsProperties['PublicAccessBlockConfiguration']).toEqual(Properties['PublicAccessBlockConfiguration']);
    expect(logsProperties['LifecycleConfiguration'].Rules).toEqual([{ Status: 'Enabled', ExpirationInDays: 90 }]);
  });
});
