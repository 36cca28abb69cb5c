import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { endpointUrl } from './deployment.ts';

const config = {
  endpoint: endpointUrl,
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 15_000, throwOnRequestTimeout: true },
};

/** What the tests look with. The code under test brings clients of its own. */
export const dynamodb = new DynamoDBClient(config);
export const sqs = new SQSClient(config);
export const logs = new CloudWatchLogsClient(config);
export const lambda = new LambdaClient(config);
