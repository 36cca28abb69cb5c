// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are code, and hold its templates
import { directedHunt, type Mutant } from '../mutant.ts';

const BATCH = 'shared/worker/execute-batch.ts';
const TOGETHER = 'shared/aws/together-reader.ts';

/** How messages and letters are carried: whole, in order, and told of one by one. */
export const carriageMutants: readonly Mutant[] = [
  {
    name: 'failed entries of a batch taken for sent',
    edits: [
      {
        file: 'shared/aws/sqs-queue.ts',
        from: '        if (accepted.has(id)) continue;\n',
        to: '        if (accepted.has(id) || refused.has(id)) continue;\n',
      },
    ],
    killers: ['S10', 'S18'],
    hunts: [directedHunt('a dispatcher told that entries failed')],
  },
  {
    name: 'a replay whose entry failed taken for sent',
    edits: [
      {
        file: 'shared/aws/batch-entries.ts',
        from: '  const done = new Set((answer.Successful ?? []).map(({ Id }) => Id));\n',
        to: '  const done = new Set([...(answer.Successful ?? []), ...(answer.Failed ?? [])].map(({ Id }) => Id));\n',
      },
    ],
    killers: ['S19'],
    hunts: [directedHunt('a replay whose sending fails', 1)],
  },
  {
    name: 'rows that came unprocessed taken for absent',
    edits: [
      {
        file: TOGETHER,
        from: 'for (const key of (answer.UnprocessedKeys?.[tableName]?.Keys ?? []).map(fromAttributeValues) as Key[])',
        to: 'for (const key of (answer.UnprocessedKeys?.[tableName]?.Keys ?? []).slice(0, 0).map(fromAttributeValues) as Key[])',
      },
    ],
    killers: ['S29'],
    hunts: [directedHunt('a pause that is read in part')],
  },
  {
    name: 'a pause not looked at',
    edits: [
      {
        file: 'shared/worker/gate.ts',
        from: "  if (pause !== undefined) return { admitted: false, code: 'paused' };\n",
        to: "  if (pause !== undefined && pause === null) return { admitted: false, code: 'paused' };\n",
      },
    ],
    killers: ['S29'],
    hunts: [directedHunt('queue paused for a day', 1)],
  },
  {
    name: 'retried outbox deleted unsent',
    edits: [
      {
        file: 'functions/retry-outbox/handler.ts',
        from: 'return { batchItemFailures: waiting.map(',
        to: 'return { batchItemFailures: waiting.slice(waiting.length).map(',
      },
    ],
    killers: ['S4'],
    hunts: [directedHunt('a parked job that cannot be sent', 6)],
  },
  {
    name: 'a letter written anew from what was read',
    edits: [
      {
        file: 'shared/worker/conclude.ts',
        from: '  const { body, fifoGroup: group } = delivery;\n',
        to: '  const { fifoGroup: group } = delivery;\n  const { trace: _, ...read } = job?.message ?? {};\n  const body = job === undefined ? delivery.body : JSON.stringify(read);\n',
      },
    ],
    killers: ['S18'],
    hunts: [directedHunt('a letter replayed', 1)],
  },
  {
    name: 'a replay without the attributes others gave',
    edits: [{ file: 'shared/dead-letter/replay-letter.ts', from: '    ...others,\n', to: '' }],
    killers: ['S19'],
    hunts: [directedHunt('a letter with attributes of its sender', 1)],
  },
  {
    name: 'what is behind a failed one of its group is run',
    edits: [
      {
        file: BATCH,
        from: "    if (ending.action === 'hand-back') stopped = {",
        to: "    if (ending.action === 'hand-back' && delivery.fifoGroup === undefined) stopped = {",
      },
    ],
    killers: ['S28'],
    hunts: [directedHunt('adjustments in a row')],
  },
  {
    name: 'a FIFO group run side by side',
    edits: [
      {
        file: BATCH,
        from: 'Map.groupBy(deliveries, (delivery) => delivery.fifoGroup ?? delivery)',
        to: 'Map.groupBy(deliveries, (delivery) => delivery)',
      },
    ],
    killers: ['S28'],
    hunts: [directedHunt('adjustments in a row')],
  },
  {
    name: 'a FIFO group sent past one that failed',
    edits: [
      {
        file: 'shared/outbox/dispatch.ts',
        from: '    const name = fifo === undefined ? one : `${one.message.kind}\\0${fifo.group}`;\n',
        to: '    const name = one;\n',
      },
    ],
    killers: ['S28'],
    hunts: [directedHunt('adjustments whose sending fails', 6)],
  },
];
