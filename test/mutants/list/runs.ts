// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are code, and hold its templates
import { directedHunt, type Mutant } from '../mutant.ts';

const CLAIM = 'shared/item/claim.ts';
const COMMIT = 'shared/item/commit.ts';
const SETTLE = 'shared/item/settle.ts';
const REQUEST = 'shared/item/request.ts';
const LAYER = 'shared/idempotency/item-persistence-layer.ts';
const EXECUTE_JOB = 'functions/execute-job/handler.ts';
const EXECUTION = 'shared/worker/job-execution.ts';
const RUN_JOB = 'shared/worker/run-job.ts';

/** How long a run may take, how often it may be tried, and what stays of it. */
export const runMutants: readonly Mutant[] = [
  {
    name: 'seconds for milliseconds',
    edits: [{ file: CLAIM, from: '        leaseUntilMs,\n', to: '        leaseUntilMs: Math.floor(leaseUntilMs / 1000),\n' }],
    killers: ['L8', 'S7'],
  },
  {
    name: 'no Lambda deadline given',
    edits: [
      {
        file: EXECUTE_JOB,
        from: 'executeJob(delivery, worker, context.getRemainingTimeInMillis())',
        to: 'executeJob(delivery, worker, LONGEST_FUNCTION_MS + 0 * context.getRemainingTimeInMillis())',
      },
      {
        file: EXECUTE_JOB,
        from: 'const toDelivery = (',
        to: 'const LONGEST_FUNCTION_MS = 900_000;\n\nconst toDelivery = (',
      },
      {
        file: EXECUTION,
        from: 'timing.heartbeatMs === undefined ? timing.leaseDurationMs : ',
        to: 'timing.heartbeatMs === undefined ? Number.POSITIVE_INFINITY : ',
      },
    ],
    killers: ['L8'],
  },
  {
    name: 'crash spends none',
    edits: [
      { file: CLAIM, from: '[attemptsAttribute(operation)]: 1,', to: '[attemptsAttribute(operation)]: 0,' },
      {
        file: SETTLE,
        from: '...(deferred ? { [attemptsAttribute(operation)]: -1 } : {})',
        to: '...(deferred ? {} : { [attemptsAttribute(operation)]: 1 })',
      },
      {
        file: 'shared/item/attributes.ts',
        from: 'numberIn(image, attemptsAttribute(operation));',
        to: 'numberIn(image, attemptsAttribute(operation)) + 1;',
      },
    ],
    killers: ['L1', 'L4'],
    hunts: [directedHunt('a job that kills its process', 1)],
  },
  {
    name: 'outbox of a claim re-sent',
    edits: [
      { file: CLAIM, from: "      remove: ['outbox', 'outboxAtMs'],\n", to: '      remove: [],\n' },
      { file: 'shared/outbox/read-outbox.ts', from: ' || current.version === old?.version', to: '' },
    ],
    killers: ['L5'],
    hunts: [{ by: 'simulation', story: 'many-users', seeds: 20, rate: 0, skew: false }],
  },
  {
    name: 're-arm forgets that a charge may be out',
    edits: [
      {
        file: 'shared/item/rearm.ts',
        from: 'attemptsAttribute(operation), dueAttribute(operation)]',
        to: 'attemptsAttribute(operation), dueAttribute(operation), `sent:${operation}`]',
      },
    ],
    killers: ['S12', 'S7'],
    hunts: [directedHunt('a letter replayed')],
  },
  {
    name: 'refund without captureIsSettled',
    edits: [
      {
        file: REQUEST,
        from: '      captureIsSettled(captureOperation),\n',
        to: '      nowMs < 0 && captureIsSettled(captureOperation),\n',
      },
    ],
    killers: ['S12'],
    hunts: [directedHunt('corrected while a charge is out')],
  },
  {
    name: "another operation's overdue mark erased",
    edits: [{ file: COMMIT, from: '...(keepOverdue ? [] : wakeAtMs', to: '...(keepOverdue && nowMs < 0 ? [] : wakeAtMs' }],
    killers: ['S10', 'S18', 'L1'],
    hunts: [directedHunt('two operations open')],
  },
  {
    name: 'failure returned instead of thrown',
    edits: [
      {
        file: RUN_JOB,
        from: "throw error instanceof Error ? error : new Error('a job threw something that is no Error', { cause: error });",
        to: "execution.decide({ answer: 'done', result: {}, enqueue: [], also: [] });\n    return {};",
      },
    ],
    killers: ['S5', 'S3', 'S18'],
  },
  {
    name: "settle error replaces the job's",
    edits: [
      {
        file: LAYER,
        from: "this.report = { kind: 'settle-unanswered', settlement, error };",
        to: 'throw settlement === undefined ? undefined : error;',
      },
    ],
    killers: ['S17'],
    hunts: [directedHunt('settles without an answer')],
  },
  {
    name: 'redelivered records claimed side by side',
    edits: [
      {
        file: 'shared/worker/execute-batch.ts',
        from: 'lane.every(({ receiveCount }) => receiveCount <= 1)',
        to: 'lane.every(({ receiveCount }) => receiveCount > 0)',
      },
    ],
    killers: ['S21'],
    hunts: [directedHunt('a job that kills its process', 12)],
  },
];
