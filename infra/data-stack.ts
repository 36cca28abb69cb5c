import { Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { AccessLogBucket } from './constructs/access-log-bucket.ts';
import { tidyEmptying } from './constructs/emptying.ts';
import { ExportBucket } from './constructs/export-bucket.ts';
import { StateTable } from './constructs/state-table.ts';
import { TTL_ATTRIBUTE, tableDefaults } from './constructs/table-defaults.ts';
import type { Settings } from './settings.ts';
import { addOutputs } from './stack-outputs.ts';

interface DataStackProps extends StackProps {
  readonly settings: Settings;
}

/** Where things are kept. A stack of its own, so that no change to the pipeline can touch the tables. */
export class DataStack extends Stack {
  readonly stateTable: Table;
  readonly controlTable: Table;
  readonly cacheTable: Table;
  readonly mailTable: Table;
  readonly exportBucket: Bucket;

  constructor(scope: Construct, id: string, { settings, ...props }: DataStackProps) {
    super(scope, id, props);
    const { pointInTimeRecovery } = settings;

    this.stateTable = new StateTable(this, 'StateTable', { settings });
    this.controlTable = new Table(this, 'ControlTable', {
      ...tableDefaults(settings, { pointInTimeRecovery }),
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
    // Whatever is in the cache can be loaded again; there is nothing to recover.
    this.cacheTable = new Table(this, 'CacheTable', {
      ...tableDefaults(settings, { pointInTimeRecovery: false }),
      partitionKey: { name: 'key', type: AttributeType.STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
    // One row per delivery under its intent, so that a second delivery is visible instead of overwriting the first.
    this.mailTable = new Table(this, 'MailTable', {
      ...tableDefaults(settings, { pointInTimeRecovery }),
      partitionKey: { name: 'deliveryKey', type: AttributeType.STRING },
      sortKey: { name: 'deliveryId', type: AttributeType.STRING },
    });
    const accessLogs = settings.bucketAccessLogs ? new AccessLogBucket(this, 'AccessLogs', { settings }) : undefined;
    this.exportBucket = new ExportBucket(this, 'ExportBucket', { settings, accessLogs });
    if (settings.emptyBuckets) tidyEmptying(this, settings);

    addOutputs(this, {
      [STACK_OUTPUTS.stateTable]: this.stateTable.tableName,
      [STACK_OUTPUTS.controlTable]: this.controlTable.tableName,
      [STACK_OUTPUTS.cacheTable]: this.cacheTable.tableName,
      [STACK_OUTPUTS.mailTable]: this.mailTable.tableName,
      [STACK_OUTPUTS.exportBucket]: this.exportBucket.bucketName,
    });
  }
}
