// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are code, and hold its templates
import { directedHunt, type Mutant } from '../mutant.ts';

const CLAIM = 'shared/item/claim.ts';
const COMMIT = 'shared/item/commit.ts';
const SETTLE = 'shared/item/settle.ts';
const REQUEST = 'shared/item/request.ts';
const LAYER = 'shared/idempotency/item-persistence-layer.ts';
const CONCLUDE = 'shared/worker/conclude.ts';
const EXECUTE_JOB = 'functions/execute-job/handler.ts';
const WIRE_WORKER = 'functions/execute-job/wire.ts';
const SENDER_IMPORTS = `import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { createHandler } from './handler.ts';`;
const ALWAYS = "(x) => `attribute_exists(${x.name('pk')})`";

/** Claim, commit, settle, and who may write what when. */
export const protocolMutants: readonly Mutant[] = [
  {
    name: 'ack before commit',
    edits: [
      {
        file: CONCLUDE,
        from: "return { action: 'hand-back', outcome: report.kind, delayMs: retryDelayMs(1, pace(context.worker)), facts };",
        to: "return { action: 'ack', outcome: report.kind, facts };",
      },
      {
        file: CONCLUDE,
        from: '        outcome: report.kind,\n        delayMs: report.settlement.delayMs,',
        to: '        outcome: report.kind,\n        delayMs: 0 * report.settlement.delayMs,',
      },
    ],
    killers: ['S4', 'S10', 'S18', 'L1'],
  },
  {
    name: 'swallow a commit error',
    edits: [
      {
        file: LAYER,
        from: "return error instanceof WriteNeverPossible ? 'never-possible' : 'unanswered';",
        to: 'return error instanceof WriteNeverPossible ? undefined : undefined;',
      },
    ],
    killers: ['S4', 'S10', 'S18', 'L1'],
  },
  {
    name: 'release without owner',
    edits: [
      {
        file: SETTLE,
        from: '      remove: FREED.remove,\n    },\n    leaseIsMine(holder),\n  );\n\nexport interface DiscardRequest',
        to: `      remove: FREED.remove,\n    },\n    holder.fence < 0 ? leaseIsMine(holder) : ${ALWAYS},\n  );\n\nexport interface DiscardRequest`,
      },
    ],
    killers: ['S7'],
  },
  {
    name: 'claim without lease check',
    edits: [{ file: CLAIM, from: '      leaseIsFree(nowMs),\n', to: '      nowMs < 0 && leaseIsFree(nowMs),\n' }],
    killers: ['S7', 'S12'],
  },
  {
    name: 'lease without deadline',
    edits: [{ file: CLAIM, from: '        leaseUntilMs,\n', to: '        leaseUntilMs: leaseUntilMs + 1e13,\n' }],
    killers: ['L8', 'L1'],
  },
  {
    name: 'commit without fence',
    edits: [
      { file: COMMIT, from: 'allOf(leaseIsMine(holder), guard', to: `allOf(holder.fence < 0 ? leaseIsMine(holder) : ${ALWAYS}, guard` },
    ],
    killers: ['S7', 'S6', 'S5'],
  },
  {
    name: 'commit without the operation record',
    edits: [
      {
        file: COMMIT,
        from: '        [operationAttribute(operation)]: record,\n',
        to: '        ...(record === undefined ? { [operationAttribute(operation)]: record } : {}),\n',
      },
    ],
    killers: ['S5', 'S4'],
  },
  {
    name: 'request on a held item',
    edits: [{ file: REQUEST, from: '      leaseIsFree(nowMs),\n', to: '      nowMs < 0 && leaseIsFree(nowMs),\n' }],
    killers: ['S7'],
    hunts: [directedHunt('corrected while a refund is held')],
  },
  {
    name: 'whole batch failed for one',
    edits: [
      {
        file: EXECUTE_JOB,
        from: 'return { batchItemFailures: returning.map(({ messageId }) => ({ itemIdentifier: messageId })) };',
        to: 'return { batchItemFailures: (returning.length > 0 ? event.Records : []).map(({ messageId }) => ({ itemIdentifier: messageId })) };',
      },
    ],
    killers: ['S21'],
    hunts: [directedHunt('one of a batch fails')],
  },
  {
    name: 'empty failure list after an error',
    edits: [
      {
        file: EXECUTE_JOB,
        from: 'return { batchItemFailures: returning.map(({ messageId }) => ({ itemIdentifier: messageId })) };',
        to: 'return { batchItemFailures: returning.slice(0, 0).map(({ messageId }) => ({ itemIdentifier: messageId })) };',
      },
    ],
    killers: ['S4', 'S10', 'S18', 'L1'],
  },
  {
    name: 'commit without status guard',
    edits: [
      {
        file: COMMIT,
        from: '    allOf(leaseIsMine(holder), guard !== undefined && !request.recordOnly && attributeIs(guard.attribute, guard.equals)),\n',
        to: '    allOf(leaseIsMine(holder), holder.fence < 0 && attributeIs(guard?.attribute ?? "status", guard?.equals ?? "")),\n',
      },
    ],
    killers: ['S8', 'S5'],
    hunts: [directedHunt('corrected while held')],
  },
  {
    name: 'send to SQS instead of outbox',
    edits: [
      { file: WIRE_WORKER, from: "import { createHandler } from './handler.ts';", to: SENDER_IMPORTS },
      {
        file: WIRE_WORKER,
        from: 'createItemStore(dynamodb, environment.STATE_TABLE, pauseAfterConflict)',
        to: `((kept: ReturnType<typeof createItemStore>): typeof kept => {
    const sender = createQueueSender(createSqsClient({ sdk }));
    return {
      ...kept,
      async write(write) {
        const [name, outbox] = Object.entries(write.values).find(([, value]) => Array.isArray(value) && value[0]?.idempotencyKey) ?? [];
        if (name === undefined) return kept.write(write);
        for (const message of outbox as { kind: string }[])
          await sender.send(environment.QUEUE_URL.replace(definition.kind, message.kind), [{ id: '0', body: JSON.stringify(message) }]);
        return kept.write({ ...write, values: { ...write.values, [name]: [] } });
      },
    };
  })(createItemStore(dynamodb, environment.STATE_TABLE, pauseAfterConflict))`,
      },
    ],
    killers: ['S5'],
  },
];
