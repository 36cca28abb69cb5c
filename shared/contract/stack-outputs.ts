/** Names of the stack outputs, the only way tools and tests find a deployment. Per-kind outputs are `<prefix><PascalKind>`. */
export const STACK_OUTPUTS = {
  stateTable: 'StateTableName',
  controlTable: 'ControlTableName',
  cacheTable: 'CacheTableName',
  mailTable: 'MailTableName',
  exportBucket: 'ExportBucketName',
  orderApiUrl: 'OrderApiUrl',
  outboxFailedQueueUrl: 'OutboxFailedQueueUrl',
  outboxFailedDeadLetterQueueUrl: 'OutboxFailedDeadLetterQueueUrl',
  invalidationRetryQueueUrl: 'InvalidationRetryQueueUrl',
  invalidationDeadLetterQueueUrl: 'InvalidationDeadLetterQueueUrl',
  acceptOrderFunction: 'AcceptOrderFunctionName',
  readOrderFunction: 'ReadOrderFunctionName',
  acceptExportFunction: 'AcceptExportFunctionName',
  acceptStockAdjustmentFunction: 'AcceptStockAdjustmentFunctionName',
  dispatchOutboxFunction: 'DispatchOutboxFunctionName',
  invalidateCacheFunction: 'InvalidateCacheFunctionName',
  retryInvalidationFunction: 'RetryInvalidationFunctionName',
  verifyCacheFunction: 'VerifyCacheFunctionName',
  retryOutboxFunction: 'RetryOutboxFunctionName',
  governQueuesFunction: 'GovernQueuesFunctionName',
  rescueJobsFunction: 'RescueJobsFunctionName',
  sweepStateFunction: 'SweepStateFunctionName',
  sandboxUrl: 'PaymentSandboxUrl',
  sandboxTable: 'PaymentSandboxTableName',
} as const;

const pascal = (kind: string): string => kind.replace(/(^|-)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());

export const jobOutputs = (kind: string) => ({
  queueUrl: `QueueUrl${pascal(kind)}`,
  deadLetterQueueUrl: `DeadLetterQueueUrl${pascal(kind)}`,
  functionName: `ExecuteJobFunctionName${pascal(kind)}`,
  mappingId: `MappingId${pascal(kind)}`,
});

/** CloudFormation stack names of a stage: `Andal-<stage>-Data` and so on. */
export const stackName = (stage: string, part: 'Data' | 'Pipeline' | 'Sandbox' | 'Observability'): string => `Andal-${stage}-${part}`;
