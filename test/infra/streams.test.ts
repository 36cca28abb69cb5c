import { describe, expect, it } from 'vitest';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { functionBehind, resourceNamed, resourcesOf, synthesize } from './synthesize.ts';

// B20 B41 B42 B43 B44
describe.each(['local', 'test', 'prod'] as const)('stream consumers of stage %s', (stage) => {
  const { pipeline, data } = synthesize(stage);
  const mappings = resourcesOf(pipeline, 'AWS::Lambda::EventSourceMapping')
    .map(([, { Properties }]) => Properties)
    .filter(({ StartingPosition }) => StartingPosition !== undefined);
  const mappingOf = (prefix: string) => {
    const [id] = resourceNamed(pipeline, 'AWS::Lambda::Function', prefix);
    return mappings.find(({ FunctionName }) => functionBehind(pipeline, FunctionName) === id)!;
  };
  const filtersOf = (prefix: string) =>
    mappingOf(prefix)['FilterCriteria'].Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));

  it('are the two that a shard can serve', () => {
    expect(mappings).toHaveLength(2);
    expect(mappings).toEqual(
      expect.arrayContaining([mappingOf('OutboxDispatcherDispatchOutbox'), mappingOf('CacheInvalidatorInvalidateCache')]),
    );
  });

  it('read the stream of the State table, with both images', () => {
    const [, table] = resourceNamed(data, 'AWS::DynamoDB::Table', 'StateTable');
    expect(table.Properties['StreamSpecification']).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    for (const { EventSourceArn } of mappings) expect(JSON.stringify(EventSourceArn)).toMatch(/StateTable\w+StreamArn/);
  });

  it('start at the oldest record, so what was written before the mapping is not skipped', () => {
    for (const mapping of mappings) expect(mapping['StartingPosition']).toBe('TRIM_HORIZON');
  });

  it('put an end to a record that keeps failing, without its neighbours', () => {
    for (const mapping of mappings) {
      expect(mapping).toMatchObject({
        BisectBatchOnFunctionError: true,
        BatchSize: 100,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
      expect(mapping['MaximumRetryAttempts']).toBeGreaterThan(0);
      expect(mapping['MaximumRecordAgeInSeconds']).toBeGreaterThan(0);
      // The stream forgets after a day; what is given up must still be readable for a while.
      expect(mapping['MaximumRecordAgeInSeconds']).toBeLessThanOrEqual(12 * 3600);
    }
  });

  it.each([
    ['OutboxDispatcherDispatchOutbox', STACK_OUTPUTS.outboxFailedDeadLetterQueueUrl],
    ['CacheInvalidatorInvalidateCache', STACK_OUTPUTS.invalidationDeadLetterQueueUrl],
  ])('report what %s gave up to %s', (prefix, output) => {
    const { Ref: queueId } = pipeline.Outputs[output]!.Value as { Ref: string };
    expect(mappingOf(prefix)['DestinationConfig']).toEqual({ OnFailure: { Destination: { 'Fn::GetAtt': [queueId, 'Arn'] } } });
  });

  it('dispatch only changes that left the lease free, so that claims cost no invocation', () => {
    expect(filtersOf('OutboxDispatcherDispatchOutbox')).toEqual([{ dynamodb: { NewImage: { lease: { S: ['free'] } } } }]);
  });

  it('invalidate committed and deleted orders and nothing else', () => {
    const keys = { Keys: { sk: { S: [{ prefix: 'ORDER#' }] } } };
    expect(filtersOf('CacheInvalidatorInvalidateCache')).toEqual([
      { eventName: ['INSERT', 'MODIFY'], dynamodb: { ...keys, NewImage: { lease: { S: ['free'] } } } },
      { eventName: ['REMOVE'], dynamodb: keys },
    ]);
  });

  it('are told how their mapping treats a partial failure', () => {
    for (const prefix of ['OutboxDispatcherDispatchOutbox', 'CacheInvalidatorInvalidateCache']) {
      const [, { Properties }] = resourceNamed(pipeline, 'AWS::Lambda::Function', prefix);
      expect(Properties['Environment'].Variables.STREAM_FAILURE_MODE).toBe(stage === 'local' ? 'throw' : 'report');
    }
  });
});
