import { Duration } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { OWN_ITEM_RETENTION_DAYS } from '#shared/contract/limits.ts';
import type { Settings } from '../settings.ts';
import type { AccessLogBucket } from './access-log-bucket.ts';
import { removalPolicyOf } from './removal-policy.ts';

/**
 * Finished exports and the parts they are made of. They are a customer's data, so they go by themselves: after as long as a
 * job of theirs could still be replayed, since its next step needs the parts of the ones before.
 */
export class ExportBucket extends Bucket {
  constructor(scope: Construct, id: string, { settings, accessLogs }: { settings: Settings; accessLogs?: AccessLogBucket | undefined }) {
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: settings.enforceSsl,
      removalPolicy: removalPolicyOf(settings),
      autoDeleteObjects: settings.emptyBuckets,
      ...(accessLogs === undefined ? {} : { serverAccessLogsBucket: accessLogs as IBucket }),
      lifecycleRules: [{ expiration: Duration.days(OWN_ITEM_RETENTION_DAYS), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    });
  }
}
