import { expect, it } from 'vitest';
import { jobs } from '#shared/jobs/index.ts';
import { FIXED } from '../../cli/cost/fixed-costs.ts';
import { FUNCTION_GB } from '../../cli/cost/price-bill.ts';
import { resourcesOf, synthesize } from '../infra/synthesize.ts';

const { all } = synthesize('prod');
const propertiesOf = (type: string) => all.flatMap((template) => resourcesOf(template, type)).map(([, { Properties }]) => Properties);

it('the estimate pays for the alarms, dashboards and keys there are in stage prod', () => {
  const metrics = (properties: Record<string, unknown>): number =>
    Array.isArray(properties['Metrics']) ? properties['Metrics'].filter((metric) => metric.MetricStat !== undefined).length : 1;
  expect({
    alarmMetrics: propertiesOf('AWS::CloudWatch::Alarm').reduce((sum, properties) => sum + metrics(properties), 0),
    dashboards: propertiesOf('AWS::CloudWatch::Dashboard').length,
    keys: propertiesOf('AWS::KMS::Key').length,
  }).toEqual({ alarmMetrics: FIXED.alarmMetrics, dashboards: FIXED.dashboards, keys: FIXED.keys });
});

it('the estimate knows how many queues are polled and how often a schedule runs', () => {
  const polled = propertiesOf('AWS::Lambda::EventSourceMapping').filter(({ ScalingConfig }) => ScalingConfig !== undefined);
  expect(polled).toHaveLength(jobs.length + FIXED.retryQueues);
  const minutes = propertiesOf('AWS::Events::Rule').map(({ ScheduleExpression }) =>
    Number(/^rate\((\d+) minutes?\)$/.exec(ScheduleExpression)?.[1]),
  );
  expect(minutes.reduce((runs, every) => runs + 60 / every, 0)).toBe(FIXED.scheduledRunsPerHour);
});

it('the estimate knows the memory of every function', () => {
  const sizes = propertiesOf('AWS::Lambda::Function').map(({ MemorySize }) => MemorySize);
  expect([...new Set(sizes)]).toEqual([FUNCTION_GB * 1_024]);
});
