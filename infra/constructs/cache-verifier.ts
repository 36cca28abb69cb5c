import { Duration } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { verifyCacheEnvironment } from '#shared/contract/environment.ts';
import type { Settings } from '../settings.ts';
import { NodeFunction } from './node-function.ts';
import { runEvery } from './schedules.ts';

export interface CacheVerifierProps {
  readonly settings: Settings;
  readonly stateTable: Table;
  readonly cacheTable: Table;
}

const VERIFY_EVERY = Duration.minutes(5);
/** Two looks, a minute apart. */
const VERIFY_TIMEOUT = Duration.seconds(120);

/** Every five minutes a sample of the cache is held against the table; what stays wrong is taken out. */
export class CacheVerifier extends Construct {
  readonly verifyCache: NodeFunction<typeof verifyCacheEnvironment>;

  constructor(scope: Construct, id: string, { settings, stateTable, cacheTable }: CacheVerifierProps) {
    super(scope, id);
    this.verifyCache = new NodeFunction(this, 'VerifyCache', {
      settings,
      folder: 'verify-cache',
      schema: verifyCacheEnvironment,
      environment: { STATE_TABLE: stateTable.tableName, CACHE_TABLE: cacheTable.tableName, TIME_SCALE: String(settings.timeScale) },
      timeout: VERIFY_TIMEOUT,
    });
    this.verifyCache.allow(['dynamodb:GetItem', 'dynamodb:Query'], [stateTable.tableArn]);
    this.verifyCache.allow(['dynamodb:Scan', 'dynamodb:GetItem', 'dynamodb:DeleteItem'], [cacheTable.tableArn]);
    const description = `Andal (${settings.stage}): a sample of the cache is held against the table`;
    runEvery(this, 'VerifySchedule', { every: VERIFY_EVERY, runs: this.verifyCache, description });
  }
}
