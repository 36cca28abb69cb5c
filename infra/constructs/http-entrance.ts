import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpNoneAuthorizer,
  type HttpRouteIntegration,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ApiAuthorization, Settings } from '../settings.ts';
import { apiUrl } from './api-url.ts';
import { removalPolicyOf } from './removal-policy.ts';

export interface HttpEntranceProps {
  readonly settings: Settings;
  readonly description: string;
  readonly authorization: ApiAuthorization;
  /** Answers what no route names. */
  readonly everything?: HttpRouteIntegration;
}

/** Which route, how it ended and how long it took; no path, address, agent or caller, for those are somebody's. */
const LOGGED = {
  requestId: '$context.requestId',
  at: '$context.requestTimeEpoch',
  route: '$context.routeKey',
  status: '$context.status',
  latencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  integrationStatus: '$context.integrationStatus',
  refusedBecause: '$context.error.responseType',
};

/** An HTTP API with its one stage: who may call it, how often, and what is written down about it. */
export class HttpEntrance extends Construct {
  readonly api: HttpApi;
  /** Without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, { settings, description, authorization, everything }: HttpEntranceProps) {
    super(scope, id);
    this.api = new HttpApi(this, 'Http', {
      description,
      createDefaultStage: false,
      defaultAuthorizer: authorizerOf(authorization),
      ...(everything === undefined ? {} : { defaultIntegration: everything }),
    });
    const { apiThrottle: throttle, apiAccessLogs } = settings;
    this.api.addStage('DefaultStage', {
      stageName: '$default',
      autoDeploy: true,
      ...(throttle === undefined ? {} : { throttle: { rateLimit: throttle.requestsPerSecond, burstLimit: throttle.burst } }),
      ...(apiAccessLogs ? { accessLogSettings: this.accessLog(settings) } : {}),
    });
    this.url = apiUrl(this.api, settings);
  }

  private accessLog(settings: Settings) {
    const logGroup = new LogGroup(this, 'AccessLog', { retention: settings.logRetentionDays, removalPolicy: removalPolicyOf(settings) });
    return { destination: new LogGroupLogDestination(logGroup), format: AccessLogFormat.custom(JSON.stringify(LOGGED)) };
  }
}

function authorizerOf(authorization: ApiAuthorization): IHttpRouteAuthorizer {
  switch (authorization.type) {
    case 'none':
      return new HttpNoneAuthorizer();
    case 'iam':
      return new HttpIamAuthorizer();
    case 'jwt':
      return new HttpJwtAuthorizer('Tokens', authorization.issuer, { jwtAudience: [...authorization.audience] });
  }
}
