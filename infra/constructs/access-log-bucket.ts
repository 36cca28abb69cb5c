import { Duration } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { removalPolicyOf } from './removal-policy.ts';

/** Who touched which object of another bucket, for as long as logs are kept. */
export class AccessLogBucket extends Bucket {
  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: settings.enforceSsl,
      removalPolicy: removalPolicyOf(settings),
      lifecycleRules: [{ expiration: Duration.days(settings.logRetentionDays) }],
    });
  }
}
