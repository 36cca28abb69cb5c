import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { paymentSandboxEnvironment } from '#shared/contract/environment.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import { jobs } from '#shared/jobs/index.ts';
import { HttpEntrance } from './constructs/http-entrance.ts';
import type { PaymentProvider } from './constructs/job-worker.ts';
import { NodeFunction } from './constructs/node-function.ts';
import { tableDefaults } from './constructs/table-defaults.ts';
import type { Settings } from './settings.ts';
import { addOutputs } from './stack-outputs.ts';

interface SandboxStackProps extends StackProps {
  readonly settings: Settings;
}

/** Time for the sandbox's own work after it has withheld an answer. */
const OWN_WORK_SECONDS = 3;
const API_GATEWAY_TIMEOUT_SECONDS = 29;

/**
 * The example payment provider: a service of its own with a table of its own, so that exactly-once is counted on the other
 * side of the wire. It moves no money and holds made-up data only; on AWS it answers those who sign with IAM rights nevertheless,
 * for an open API is somebody else's to fill.
 */
export class SandboxStack extends Stack {
  readonly provider: PaymentProvider;

  constructor(scope: Construct, id: string, { settings, ...props }: SandboxStackProps) {
    super(scope, id, props);
    const table = new Table(this, 'SandboxTable', {
      ...tableDefaults(settings, { pointInTimeRecovery: false }),
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      timeToLiveAttribute: 'ttl',
    });

    const slowMs = slowAnswerMs(settings.timeScale);
    const sandbox = new NodeFunction(this, 'PaymentSandbox', {
      settings,
      folder: 'payment-sandbox',
      schema: paymentSandboxEnvironment,
      environment: { SANDBOX_TABLE: table.tableName, SLOW_ANSWER_MS: String(slowMs) },
      timeout: Duration.seconds(Math.min(Math.ceil(slowMs / 1000) + OWN_WORK_SECONDS, API_GATEWAY_TIMEOUT_SECONDS)),
    });
    sandbox.allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:Query'], [table.tableArn]);

    const signed = settings.emulatorEndpoint === undefined;
    const { api, url } = new HttpEntrance(this, 'Api', {
      settings,
      description: `Andal payment sandbox (${settings.stage})`,
      authorization: { type: signed ? 'iam' : 'none' },
      everything: new HttpLambdaIntegration('Sandbox', sandbox.live as IFunction),
    });
    // One name for the whole API: its routes are the provider's own business.
    this.provider = { url, signedRoutesArn: signed ? api.arnForExecuteApi() : undefined };
    addOutputs(this, { [STACK_OUTPUTS.sandboxUrl]: url, [STACK_OUTPUTS.sandboxTable]: table.tableName });
  }
}

/** A slow answer comes after every caller has given up on it: half as long again as the most patient job waits. */
function slowAnswerMs(timeScale: number): number {
  const waits = jobs
    .filter(({ dependency }) => dependency === 'payment-provider')
    .map(({ timing }) => deriveTiming(timing, { scale: timeScale }).dependencyTimeoutMs);
  return Math.ceil(1.5 * Math.max(...waits));
}
