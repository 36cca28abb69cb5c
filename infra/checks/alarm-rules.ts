import { type DeployedResource, type Deployment, ofType } from './deployment.ts';
import type { Rule } from './rule.ts';

const DEPTH = 'ApproximateNumberOfMessagesVisible';
const AGE = 'ApproximateAgeOfOldestMessage';

/** Queue and metric of every alarm on a queue, those inside an expression included. */
function watched(deployment: Deployment): { queue: DeployedResource | undefined; metricName: unknown }[] {
  return ofType(deployment, 'AWS::CloudWatch::Alarm').flatMap((alarm) => {
    const { Metrics = [], ...plain } = alarm.properties;
    const metrics = [
      { MetricName: plain['MetricName'], Dimensions: plain['Dimensions'] },
      ...Metrics.map(({ MetricStat }: { MetricStat?: { Metric: object } }) => MetricStat?.Metric ?? {}),
    ];
    return metrics.flatMap(({ MetricName: metricName, Dimensions = [] }) =>
      Dimensions.filter(({ Name }: { Name: string }) => Name === 'QueueName').map(({ Value }: { Value: unknown }) => ({
        queue: deployment.refersTo(Value, alarm),
        metricName,
      })),
    );
  });
}

/** Only where the stage has alarms at all. */
export const queuesHaveAlarms: Rule = {
  name: 'queues-have-alarms',
  fix: 'Add the alarm in infra/observability, which lists the queues of the Pipeline stack.',
  broken: (deployment) => {
    const seen = watched(deployment);
    const queues = ofType(deployment, 'AWS::SQS::Queue');
    return queues.flatMap((at) => {
      const redrives = at.properties['RedrivePolicy'] !== undefined;
      const metric = redrives ? AGE : DEPTH;
      if (seen.some(({ queue, metricName }) => queue === at && metricName === metric)) return [];
      const says = redrives
        ? `nobody would notice that its messages wait: no alarm looks at its ${AGE}.`
        : `nobody would notice a letter in it: no alarm looks at its ${DEPTH}.`;
      return [{ at, says }];
    });
  },
};
