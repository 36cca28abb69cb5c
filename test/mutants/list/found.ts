import { directedHunt, type Mutant } from '../mutant.ts';

/** What the simulator has found in this very pipeline, put back: each must be found again. */
export const foundMutants: readonly Mutant[] = [
  {
    name: 'one id for all letters of a FIFO message',
    edits: [
      {
        file: 'shared/aws/sqs-queue.ts',
        from: 'const end = fifo.ending ?? firstSeenAt;',
        to: 'const end = fifo.ending === undefined ? firstSeenAt : firstSeenAt;',
      },
    ],
    killers: ['S4', 'S10', 'S18', 'L1'],
    hunts: [{ by: 'simulation', story: 'many-users', seeds: 200, rate: 0.3 }],
  },
  {
    name: 'an older tool replays what it cannot read',
    edits: [
      {
        file: 'shared/dead-letter/replay-plan.ts',
        from: "if (isOfNewerCode(letter)) return { act: 'refuse', code: 'unsupported-version' };",
        to: "if (isOfNewerCode(letter)) return { act: 'send' };",
      },
    ],
    killers: ['S10', 'S18', 'Q3', 'L1'],
    hunts: [directedHunt('letters replayed by tools of any age', 40)],
  },
  {
    name: 'rate slots in finer digits than the table keeps',
    edits: [{ file: 'shared/rate-limit/slots.ts', from: '=> Math.round(ms * 1000) / 1000;', to: '=> ms / 1;' }],
    killers: ['L1', 'L4', 'S17', 'L5'],
    hunts: [directedHunt('new workers after a rush', 4)],
  },
];
