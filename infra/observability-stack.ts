import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Dashboard, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Construct } from 'constructs';
import type { DataStack } from './data-stack.ts';
import type { AlarmRule } from './observability/alarm-rule.ts';
import { AlarmTopic } from './observability/alarm-topic.ts';
import { costWidgets, type Spender } from './observability/cost-widgets.ts';
import { kindRules, type WatchedKind } from './observability/kind-rules.ts';
import { kindWidgets } from './observability/kind-widgets.ts';
import { mailRules } from './observability/mail-rules.ts';
import { stageRules } from './observability/stage-rules.ts';
import { flowWidgets, healthWidgets } from './observability/stage-widgets.ts';
import type { PipelineStack } from './pipeline-stack.ts';
import type { Settings } from './settings.ts';

export interface ObservabilityStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
  readonly pipeline: PipelineStack;
}

/** Where a description sends its reader. */
export const RUNBOOK = 'docs/operating.md';

/** Who is told of what, and one page to look at. It only looks: nothing of the pipeline waits for it, and it may be deployed without. */
export class ObservabilityStack extends Stack {
  constructor(scope: Construct, id: string, { settings, data, pipeline, ...props }: ObservabilityStackProps) {
    super(scope, id, props);
    const action = new SnsAction(new AlarmTopic(this, 'AlarmTopic', { settings }).topic);
    const kinds = watchedKinds(pipeline);
    const ofMail = settings.receipts === undefined ? [] : mailRules();
    const alarms = [...kinds.flatMap(kindRules), ...stageRules(pipeline), ...ofMail].map((rule) => this.addAlarm(rule, action));
    const widgets = [
      ...healthWidgets(kinds, alarms),
      ...kindWidgets(kinds),
      ...flowWidgets(pipeline),
      ...costWidgets(spenderOf(data, pipeline)),
    ];
    new Dashboard(this, 'Dashboard', { defaultInterval: Duration.hours(3), widgets });
  }

  private addAlarm(rule: AlarmRule, action: SnsAction): Alarm {
    const { id, says, runbook, metric, periods = { breaching: 1, of: 1 } } = rule;
    const alarm = new Alarm(this, id, {
      metric,
      ...thresholdOf(rule),
      evaluationPeriods: periods.of,
      datapointsToAlarm: periods.breaching,
      alarmDescription: `${says} What to do: ${RUNBOOK}#${runbook}`,
    });
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    return alarm;
  }
}

function thresholdOf(rule: AlarmRule) {
  if ('fewerThan' in rule)
    return {
      threshold: rule.fewerThan,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
    };
  return {
    threshold: rule.atLeast,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    // Idle queues and functions say nothing, and nothing is counted while nothing happens.
    treatMissingData: TreatMissingData.NOT_BREACHING,
  };
}

function watchedKinds({ jobQueues, workers }: PipelineStack): WatchedKind[] {
  return jobQueues.flatMap((jobQueue) => {
    const worker = workers.find(({ kind }) => kind === jobQueue.definition.kind);
    return worker === undefined ? [] : [{ jobQueue, worker }];
  });
}

/** Everything that is billed by use. */
function spenderOf({ stateTable, controlTable, cacheTable, mailTable }: DataStack, pipeline: PipelineStack): Spender {
  const { api, outbox, cache, verifier, governor, rescuer, workers, jobQueues } = pipeline;
  const entrance = [
    api.acceptOrder,
    api.acceptPaymentAttempt,
    api.acceptRefund,
    api.acceptExport,
    api.acceptStockAdjustment,
    api.readOrder,
  ];
  const behind = [outbox.dispatchOutbox, outbox.retryOutbox, cache.invalidateCache, cache.retryInvalidation];
  const watching = [
    governor.governQueues,
    rescuer.rescueJobs,
    rescuer.sweepState,
    ...(verifier === undefined ? [] : [verifier.verifyCache]),
  ];
  return {
    tables: [stateTable, controlTable, cacheTable, mailTable],
    queues: [...jobQueues, outbox.failed, cache.retry].flatMap(({ queue, deadLetterQueue }) => [queue, deadLetterQueue]),
    functions: [...workers, ...entrance, ...behind, ...watching].map(({ lambda }) => lambda),
    kinds: jobQueues.map(({ definition }) => definition.kind),
  };
}
