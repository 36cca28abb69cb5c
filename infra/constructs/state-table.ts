import { AttributeType, ProjectionType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { TTL_ATTRIBUTE, tableDefaults } from './table-defaults.ts';

/**
 * The source of truth: state, lease, idempotency record and outbox of everything, one item each.
 *
 * A table of one region on purpose (not a global one): leases and fences are conditional writes, and a replica that
 * merges the last writer's item would let two owners win.
 *
 * The index holds only items whose job failed at least once; healthy jobs never write to it and pay nothing.
 */
export class StateTable extends Table {
  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    super(scope, id, {
      ...tableDefaults(settings, { pointInTimeRecovery: settings.pointInTimeRecovery }),
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
    this.addGlobalSecondaryIndex({
      indexName: 'overdue',
      partitionKey: { name: 'overdueShard', type: AttributeType.STRING },
      sortKey: { name: 'overdueAtMs', type: AttributeType.NUMBER },
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }
}
