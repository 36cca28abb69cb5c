import { describe, expect, it } from 'vitest';
import { METRIC_NAMESPACE, METRICS } from '#shared/contract/metric-names.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';

interface Emf {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
}

describe('what was measured', () => {
  it('is a line of embedded metric format by the dimensions it was given, and no other', () => {
    const measure = createMetrics('execute-job');
    const line = measure({
      dimensions: { kind: 'capture-payment' },
      values: { [METRICS.jobsDone]: 9, [METRICS.runTime]: [12, 15], [METRICS.unknownAge]: [3] },
    }) as unknown as Emf;
    const { _aws, ...members } = line;
    expect(_aws.CloudWatchMetrics).toEqual([
      {
        Namespace: METRIC_NAMESPACE,
        Dimensions: [['kind']],
        Metrics: [
          { Name: 'JobsDone', Unit: 'Count' },
          { Name: 'RunTime', Unit: 'Milliseconds' },
          { Name: 'UnknownAge', Unit: 'Seconds' },
        ],
      },
    ]);
    expect(members).toEqual({ kind: 'capture-payment', JobsDone: 9, RunTime: [12, 15], UnknownAge: 3 });
  });

  it('has a set of dimensions although that is empty, without which CloudWatch would take no metric from it', () => {
    const line = createMetrics('read-order')({ dimensions: {}, values: { [METRICS.cacheReads]: 1 } }) as unknown as Emf;
    expect(line._aws.CloudWatchMetrics[0]?.Dimensions).toEqual([[]]);
  });

  it('leaves no line behind where it is nothing but zeros, and costs no metric for a zero among others', () => {
    const measure = createMetrics('rescue-jobs');
    expect(measure({ dimensions: {}, values: { [METRICS.rescueFailed]: 0, [METRICS.mappingForgotten]: 0 } })).toEqual({});
    expect(measure({ dimensions: {}, values: { [METRICS.rescueFailed]: 0, [METRICS.mappingForgotten]: 1 } })).not.toHaveProperty(
      'RescueFailed',
    );
  });

  it('tells a queue that is off by a zero, for a zero in a list is a value', () => {
    const measure = createMetrics('govern-queues');
    expect(measure({ dimensions: { kind: 'send-receipt' }, values: { [METRICS.concurrency]: [0] } })).toMatchObject({ Concurrency: 0 });
  });

  it('adds less than 400 bytes to the line of a healthy batch of ten', () => {
    const values = {
      [METRICS.jobsDone]: 10,
      [METRICS.jobsFailed]: 0,
      [METRICS.runTime]: Array(10).fill(212),
      [METRICS.dependencyCalls]: 10,
    };
    const line = createMetrics('execute-job')({ dimensions: { kind: 'capture-payment' }, values });
    expect(JSON.stringify(line).length).toBeLessThan(400);
  });

  it('is forgotten once it was told, dimensions too', () => {
    const measure = createMetrics('execute-job');
    measure({ dimensions: { kind: 'capture-payment', errorClass: 'timeout' }, values: { [METRICS.retries]: 3 } });
    const line = measure({ dimensions: { kind: 'send-receipt' }, values: { [METRICS.jobsDone]: 1 } });
    expect(line).toMatchObject({ kind: 'send-receipt', JobsDone: 1, _aws: { CloudWatchMetrics: [{ Dimensions: [['kind']] }] } });
    expect(line).not.toHaveProperty('errorClass');
    expect(line).not.toHaveProperty('Retries');
  });

  it('never fails what it measures: a number that is none is left out, and more values than a line may have are cut', () => {
    const measure = createMetrics('execute-job');
    const values = Array.from({ length: 500 }, (_, index) => index + 1);
    const line = measure({ dimensions: { kind: 'k' }, values: { [METRICS.unknownAge]: [Number.NaN], [METRICS.runTime]: values } });
    expect(line['RunTime']).toHaveLength(99);
    expect(line).not.toHaveProperty('UnknownAge');
  });
});
