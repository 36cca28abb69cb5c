import { directedHunt, type Mutant } from '../mutant.ts';

const REPLAY = 'shared/dead-letter/replay-letter.ts';

/** What an operator's tools do with dead letters. */
export const letterMutants: readonly Mutant[] = [
  {
    name: 'replay deletes before sending',
    edits: [
      { file: REPLAY, from: '  const [left] = await world.letters.remove([received]);\n', to: '' },
      {
        file: REPLAY,
        from: '  const [unsent] = await world.sender.send(source.queueUrl, [',
        to: '  const [left] = await world.letters.remove([received]);\n  const [unsent] = await world.sender.send(source.queueUrl, [',
      },
    ],
    killers: ['S19'],
    hunts: [directedHunt('a letter replayed', 1)],
  },
  {
    name: 'replay with a new key',
    edits: [
      {
        file: REPLAY,
        from: '    body: received.body,\n',
        to: '    body: received.body.replace(/("idempotencyKey":"[^"]+)"/, \'$1:replayed"\'),\n',
      },
    ],
    killers: ['S19'],
    hunts: [directedHunt('a letter replayed', 1)],
  },
  {
    name: 'no audit',
    edits: [
      {
        file: 'shared/dead-letter/audited.ts',
        from: 'const entry = await audit.begin(act);',
        to: 'const entry = { end: async (_: string) => audit.begin === undefined && act === undefined };',
      },
    ],
    killers: ['S19'],
    hunts: [directedHunt('a letter replayed', 1)],
  },
  {
    name: 'FIFO replay with the original deduplication id',
    edits: [
      { file: REPLAY, from: 'fifoIds(job.message, () => job.definition, messageId);', to: 'fifoIds(job.message, () => job.definition);' },
    ],
    killers: ['S19', 'S18'],
    hunts: [directedHunt('a FIFO letter replayed at once', 1)],
  },
];
