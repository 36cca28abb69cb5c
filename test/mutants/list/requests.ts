// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are code, and hold its templates
import { directedHunt, type Mutant } from '../mutant.ts';

/** What a customer's key stands for, and what a client is told. */
export const requestMutants: readonly Mutant[] = [
  {
    name: 'one key for two wishes is one wish',
    edits: [
      {
        file: 'shared/requests/request-on-order.ts',
        from: "createHash('sha256').update(wish).update('\\0')",
        to: "createHash('sha256').update(wish.slice(wish.length)).update('\\0')",
      },
    ],
    killers: ['S9'],
    hunts: [directedHunt('one key for two wishes', 1)],
  },
  {
    name: 'an adjustment under a used key taken for the first one',
    edits: [
      {
        file: 'shared/requests/accept-job.ts',
        from: "return storedHash(stored, operation) === hash ? { kind: 'repeated', state: stateOf(stored, operation) } : { kind: 'key-reused' };",
        to: "return storedHash(stored, operation) === hash || own ? { kind: 'repeated', state: stateOf(stored, operation) } : { kind: 'key-reused' };",
      },
    ],
    killers: ['S9'],
    hunts: [directedHunt('keys of adjustments and exports used twice', 1)],
  },
  {
    name: 'an adjustment named by chance',
    edits: [
      {
        file: 'functions/accept-stock-adjustment/read-request.ts',
        from: "createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32);",
        to: "createHash('sha256').update(`${idempotencyKey}${Math.random()}`).digest('hex').slice(0, 32);",
      },
    ],
    killers: ['S9'],
    hunts: [directedHunt('keys of adjustments and exports used twice', 1)],
  },
  {
    name: 'an export named by chance',
    edits: [
      {
        file: 'functions/accept-export/handler.ts',
        from: 'const exportId = exportIdOf(userId.value, key.value);',
        to: 'const exportId = exportIdOf(userId.value, `${key.value}${Math.random()}`);',
      },
    ],
    killers: ['S9'],
    hunts: [directedHunt('keys of adjustments and exports used twice', 1)],
  },
  {
    name: 'an entity tag of another version',
    edits: [{ file: 'functions/read-order/handler.ts', from: 'etag: `"${version}"`', to: 'etag: `"${version - 1}"`' }],
    killers: ['S13'],
    hunts: [directedHunt('reads around commits', 1)],
  },
];
