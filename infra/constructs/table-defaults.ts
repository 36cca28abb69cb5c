import { BillingMode, type TableOptions } from 'aws-cdk-lib/aws-dynamodb';
import type { Settings } from '../settings.ts';
import { removalPolicyOf } from './removal-policy.ts';

/** Seconds since the epoch. DynamoDB deletes late, so readers judge expiry themselves. */
export const TTL_ATTRIBUTE = 'expiresAt';

export const tableDefaults = (settings: Settings, { pointInTimeRecovery }: { pointInTimeRecovery: boolean }) =>
  ({
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: pointInTimeRecovery },
    deletionProtection: settings.deletionProtection,
    removalPolicy: removalPolicyOf(settings),
  }) satisfies Partial<TableOptions & { removalPolicy: unknown }>;
