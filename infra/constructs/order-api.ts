import { Duration } from 'aws-cdk-lib';
import { type HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acceptJobEnvironment, acceptOrderEnvironment, readOrderEnvironment } from '#shared/contract/environment.ts';
import { jobPartitions, USER_PREFIX } from '#shared/contract/item-keys.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { exportOrders } from '#shared/jobs/export-orders.ts';
import type { Settings } from '../settings.ts';
import { HttpEntrance } from './http-entrance.ts';
import { NodeFunction } from './node-function.ts';
import type { StageCache } from './stage-cache.ts';

export interface OrderApiProps {
  readonly settings: Settings;
  readonly stateTable: Table;
  readonly cacheTable: Table;
  readonly cache: StageCache;
}

/** API Gateway gives up after 29 s; nothing here should come near it. */
const TIMEOUT = Duration.seconds(15);

/** The entrance: orders come in as one conditional write and are read through the cache. */
export class OrderApi extends Construct {
  readonly url: string;
  readonly acceptOrder: NodeFunction<typeof acceptOrderEnvironment>;
  readonly readOrder: NodeFunction<typeof readOrderEnvironment>;
  readonly acceptPaymentAttempt: NodeFunction<typeof acceptOrderEnvironment>;
  readonly acceptRefund: NodeFunction<typeof acceptOrderEnvironment>;
  readonly acceptExport: NodeFunction<typeof acceptJobEnvironment>;
  readonly acceptStockAdjustment: NodeFunction<typeof acceptJobEnvironment>;

  constructor(scope: Construct, id: string, { settings, stateTable, cacheTable, cache }: OrderApiProps) {
    super(scope, id);

    this.acceptOrder = new NodeFunction(this, 'AcceptOrder', {
      settings,
      folder: 'accept-order',
      schema: acceptOrderEnvironment,
      environment: { STATE_TABLE: stateTable.tableName },
      timeout: TIMEOUT,
    });
    // A repeated request is recognised by the refused write, which returns the order it met.
    this.acceptOrder.allowItems(['dynamodb:PutItem'], stateTable.tableArn, [USER_PREFIX]);

    this.readOrder = new NodeFunction(this, 'ReadOrder', {
      settings,
      folder: 'read-order',
      schema: readOrderEnvironment.extend(cache.schema?.shape ?? {}),
      entry: cache.entry,
      network: cache.network,
      environment: {
        STATE_TABLE: stateTable.tableName,
        CACHE_TABLE: cacheTable.tableName,
        CACHE_TTL_SECONDS: String(settings.cacheTtlSeconds),
        ...cache.environment,
      },
      timeout: TIMEOUT,
    });
    this.readOrder.allowItems(['dynamodb:GetItem', 'dynamodb:Query'], stateTable.tableArn, [USER_PREFIX]);
    cache.grant(this.readOrder, 'read-through');

    this.acceptPaymentAttempt = this.requestFunction('AcceptPaymentAttempt', 'accept-payment-attempt', settings, stateTable);
    this.acceptRefund = this.requestFunction('AcceptRefund', 'accept-refund', settings, stateTable);

    this.acceptExport = this.acceptJobFunction('AcceptExport', 'accept-export', { settings, stateTable, kind: exportOrders.kind });
    this.acceptStockAdjustment = this.acceptJobFunction('AcceptStockAdjustment', 'accept-stock-adjustment', {
      settings,
      stateTable,
      kind: adjustStock.kind,
    });

    const { apiAuthorization: authorization, stage } = settings;
    const { api, url } = new HttpEntrance(this, 'Api', { settings, description: `Andal orders (${stage})`, authorization });
    const accept = new HttpLambdaIntegration('Accept', this.acceptOrder.live as IFunction);
    const read = new HttpLambdaIntegration('Read', this.readOrder.live as IFunction);
    api.addRoutes({ path: '/users/{userId}/orders', methods: [HttpMethod.POST], integration: accept });
    api.addRoutes({ path: '/users/{userId}/orders/{orderId}', methods: [HttpMethod.GET], integration: read });
    api.addRoutes({ path: '/users/{userId}/order-summary', methods: [HttpMethod.GET], integration: read });
    this.addPosts(api);
    this.url = url;
  }

  private addPosts(api: HttpApi): void {
    const posts: [string, string, NodeFunction<typeof acceptOrderEnvironment>][] = [
      ['PayAgain', '/users/{userId}/orders/{orderId}/payment-attempts', this.acceptPaymentAttempt],
      ['Refund', '/users/{userId}/orders/{orderId}/refunds', this.acceptRefund],
      ['Export', '/users/{userId}/exports', this.acceptExport],
      ['AdjustStock', '/stock/{sku}/adjustments', this.acceptStockAdjustment],
    ];
    for (const [id, path, { live }] of posts)
      api.addRoutes({ path, methods: [HttpMethod.POST], integration: new HttpLambdaIntegration(id, live as IFunction) });
  }

  /** A job with an item of its own comes in by creating that item; a repeated request is recognised by the refused write. */
  private acceptJobFunction(
    id: string,
    folder: string,
    { settings, stateTable, kind }: Pick<OrderApiProps, 'settings' | 'stateTable'> & { readonly kind: string },
  ): NodeFunction<typeof acceptJobEnvironment> {
    const environment = { STATE_TABLE: stateTable.tableName };
    const lambda = new NodeFunction(this, id, { settings, folder, schema: acceptJobEnvironment, environment, timeout: TIMEOUT });
    lambda.allowItems(['dynamodb:PutItem'], stateTable.tableArn, [jobPartitions(kind)]);
    return lambda;
  }

  /** A customer's wish on an order: one read to learn what it means, one conditional write. */
  private requestFunction(id: string, folder: string, settings: Settings, stateTable: Table): NodeFunction<typeof acceptOrderEnvironment> {
    const environment = { STATE_TABLE: stateTable.tableName };
    const lambda = new NodeFunction(this, id, { settings, folder, schema: acceptOrderEnvironment, environment, timeout: TIMEOUT });
    lambda.allowItems(['dynamodb:GetItem', 'dynamodb:UpdateItem'], stateTable.tableArn, [USER_PREFIX]);
    return lambda;
  }
}
