import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { METRIC_NAMESPACE, METRICS } from '#shared/contract/metric-names.ts';
import type { JobWorker } from './job-worker.ts';
import { type AnyNodeFunction, LIVE } from './node-function.ts';

export interface RolloutProps {
  readonly workers: readonly JobWorker[];
  /** All other functions of the stack. */
  readonly others: readonly AnyNodeFunction[];
}

const PERIOD = Duration.minutes(1);
/** A tenth of the work fails at least this often when a new version fails always: half of that tenth. */
const FAILED_SHARE = 0.05;

/**
 * A new version of a function takes over a tenth of its work, five minutes later the rest, unless one of its alarms goes off:
 * then its alias points at the old version alone again, and the deployment fails.
 *
 * A worker's alarm counts jobs, not invocations: with partial batch responses an invocation in which every job failed succeeds.
 * The alarms are here and not with the others because an alias names its deployment group, which has to be in its own stack.
 *
 * A kind that refuses jobs as a matter of course (`stock-insufficient`) needs a threshold of its own when that is common: here a
 * refusal counts like any other letter, since a release may be what causes it.
 *
 * Does not protect against what takes longer than five minutes to show, nor during them against little traffic: a tenth of
 * nothing fails at nothing.
 */
export class Rollout extends Construct {
  constructor(scope: Construct, id: string, { workers, others }: RolloutProps) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    // The construct would attach a managed policy that may change every alias of the account.
    const role = this.createRole([...workers, ...others]).withoutPolicyUpdates();
    const shift = (what: AnyNodeFunction, alarms: Alarm[]): void =>
      void new LambdaDeploymentGroup(this, `Shift-${what.node.path.split('/').slice(1).join('-')}`, {
        application,
        role,
        alias: what.live,
        alarms,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
    for (const worker of workers) shift(worker, [this.jobsFail(worker.kind), this.invocationsFail(worker)]);
    for (const other of others) shift(other, [this.invocationsFail(other)]);
  }

  /** What CodeDeploy does for us: it weighs these aliases, and looks at alarms. */
  private createRole(functions: readonly AnyNodeFunction[]): Role {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    const onAliases = ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'];
    const functionArns = functions.flatMap(({ lambda }) => [lambda.functionArn, `${lambda.functionArn}:${LIVE}`]);
    role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions: onAliases, resources: functionArns }));
    role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }));
    return role;
  }

  /** Of the jobs that came to an end of any kind, how many had no answer. A letter of a job that never ran (malformed, say) is in no other count. */
  private jobsFail(kind: string): Alarm {
    const sumOf = (metricName: string): Metric =>
      new Metric({ namespace: METRIC_NAMESPACE, metricName, dimensionsMap: { kind }, statistic: Stats.SUM, period: PERIOD });
    const bad = new MathExpression({
      expression: 'IF(FILL(letters, 0) > FILL(failed, 0), FILL(letters, 0), FILL(failed, 0))',
      usingMetrics: { letters: sumOf(METRICS.lettersBuried), failed: sumOf(METRICS.jobsFailed) },
      period: PERIOD,
    });
    const failedShare = new MathExpression({
      expression: 'bad / (bad + FILL(done, 0))',
      usingMetrics: { bad, done: sumOf(METRICS.jobsDone) },
      period: PERIOD,
      label: `${kind}: share of jobs without an answer`,
    });
    return this.alarm(`JobsFail-${kind}`, failedShare, FAILED_SHARE, `Stops a rollout: jobs of ${kind} end without an answer.`);
  }

  /** The function itself breaks, at its start for example. */
  private invocationsFail({ node, lambda }: AnyNodeFunction): Alarm {
    const name = node.path.split('/').slice(1).join('-');
    const errors = new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Errors',
      dimensionsMap: { FunctionName: lambda.functionName, Resource: `${lambda.functionName}:${LIVE}` },
      statistic: Stats.SUM,
      period: PERIOD,
    });
    return this.alarm(`InvocationsFail-${name}`, errors, 0, `Stops a rollout: invocations of ${name} fail.`);
  }

  private alarm(id: string, metric: Metric | MathExpression, threshold: number, alarmDescription: string): Alarm {
    return new Alarm(this, id, {
      metric,
      threshold,
      alarmDescription,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
