import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { nonEmpty, type Target } from './target.ts';

export interface Clients {
  readonly cloudFormation: CloudFormationClient;
  readonly logs: CloudWatchLogsClient;
  readonly dynamoDb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly sqs: SQSClient;
  close(): void;
}

/** Waiting for a socket counts as waiting for a connection, and work on letters asks for hundreds at a time. */
const MANY_SOCKETS = { httpAgent: { maxSockets: 100 }, httpsAgent: { maxSockets: 100 } };

/** Limits on every wait; the SDK's defaults wait forever. */
export const clientConfig = (target: Target) => ({
  region: target.region,
  maxAttempts: 3,
  // A command's middleware is put together once for each client, not for each of thousands of calls.
  cacheMiddleware: true,
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 15_000, throwOnRequestTimeout: true, ...MANY_SOCKETS },
  ...(target.endpointUrl === undefined ? {} : { endpoint: target.endpointUrl }),
  ...(target.profile === undefined ? {} : { profile: target.profile }),
  ...(needsPretendCredentials(target) ? { credentials: { accessKeyId: 'test', secretAccessKey: 'test' } } : {}),
});

export function createClients(target: Target): Clients {
  const config = clientConfig(target);
  const clients = {
    cloudFormation: new CloudFormationClient(config),
    logs: new CloudWatchLogsClient(config),
    dynamoDb: new DynamoDBClient(config),
    lambda: new LambdaClient(config),
    sqs: new SQSClient(config),
  };
  return { ...clients, close: () => Object.values(clients).forEach((client) => client.destroy()) };
}

/** An emulator takes any credentials, but the SDK insists on some. */
const needsPretendCredentials = (target: Target): boolean =>
  target.endpointUrl !== undefined && target.profile === undefined && nonEmpty(process.env['AWS_ACCESS_KEY_ID']) === undefined;
