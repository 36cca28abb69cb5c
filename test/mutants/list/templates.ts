import type { Mutant, SuiteHunt } from '../mutant.ts';

const QUEUE = 'infra/constructs/redriven-queue.ts';

const suite = (file: string): SuiteHunt => ({ by: 'suite', project: 'infra', file: `test/infra/${file}` });

/** What only the templates show. */
export const templateMutants: readonly Mutant[] = [
  {
    name: 'visibility below timeout',
    edits: [
      {
        file: QUEUE,
        from: 'visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),',
        to: 'visibilityTimeout: Duration.seconds(10),',
      },
    ],
    killers: ['hide a message for six function timeouts and the batching window'],
    hunts: [suite('queues.test.ts')],
  },
  {
    name: "DLQ retention not above the source's",
    edits: [
      {
        file: QUEUE,
        from: "new Queue(this, 'DeadLetterQueue', shared)",
        to: "new Queue(this, 'DeadLetterQueue', { ...shared, retentionPeriod: Duration.days(4) })",
      },
    ],
    killers: ['keep messages and letters as long as SQS can'],
    hunts: [suite('queues.test.ts')],
  },
  {
    name: 'wildcard in IAM',
    edits: [
      {
        file: 'infra/constructs/node-function.ts',
        from: 'new PolicyStatement({ actions: all, resources: resourceArns })',
        to: "new PolicyStatement({ actions: all, resources: resourceArns.map(() => '*') })",
      },
    ],
    killers: ['name their resources'],
    hunts: [suite('permissions.test.ts')],
  },
];
