// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are code, and hold its templates
import { directedHunt, type Mutant } from '../mutant.ts';

const ACCEPT = 'functions/accept-order/accept-order.ts';
const DISPATCHER = 'functions/dispatch-outbox/handler.ts';
const ITEM_STORE = 'shared/aws/item-store.ts';
const TOGETHER = 'shared/aws/write-together.ts';

/** Where requests come in and jobs go out: the API, the stream, transactions, messages of other versions. */
export const edgeMutants: readonly Mutant[] = [
  {
    name: 'missing key accepted',
    edits: [
      {
        file: 'shared/http/read-parts.ts',
        from: "=== 'idempotency-key')?.[1];",
        to: "=== 'idempotency-key')?.[1] ?? 'no-key-given';",
      },
    ],
    killers: ['S9'],
    hunts: [directedHunt('a request without a key', 1)],
  },
  {
    name: 'request hash ignored',
    edits: [{ file: ACCEPT, from: "  if (stored.requestHash !== requestHash) return { kind: 'key-reused' };\n", to: '' }],
    killers: ['S9'],
  },
  {
    name: 'personal data in an error log',
    edits: [
      {
        file: 'functions/accept-order/handler.ts',
        from: 'world.logFailure(error, event.requestContext.requestId);',
        to: 'world.logFailure(Object.assign(new Error(), { name: `not stored: ${event.body}` }), event.requestContext.requestId);',
      },
    ],
    killers: ['S20'],
    hunts: [directedHunt('a table that does not answer the API', 1)],
  },
  {
    name: 'stream failure dropped',
    edits: [{ file: DISPATCHER, from: '[...unsent, ...notParked].map(', to: '[...unsent, ...notParked].slice(0, 0).map(' }],
    killers: ['S10', 'S18', 'L2'],
    hunts: [directedHunt('dispatcher cut off from a queue', 1)],
  },
  {
    name: 'stream order assumed across items',
    edits: [
      {
        file: DISPATCHER,
        from: 'const { outgoing, unreadable } = collectOutbox(records, world.readItemChange);',
        to: `const collected = collectOutbox(records, world.readItemChange);
    const before = handled.get(world) ?? '';
    const numberOf = (index: number): string => (records[index]?.dynamodb?.SequenceNumber ?? '').padStart(40, '0');
    const outgoing = collected.outgoing.filter(({ recordIndex }) => numberOf(recordIndex) > before);
    const { unreadable } = collected;
    handled.set(world, [before, numberOf(records.length - 1)].sort().at(-1) ?? '');`,
      },
      {
        file: DISPATCHER,
        from: 'export const createHandler =',
        to: 'const handled = new WeakMap<object, string>();\n\nexport const createHandler =',
      },
    ],
    killers: ['S10', 'S18', 'L2', 'L1'],
    hunts: [directedHunt('orders of many users')],
  },
  {
    name: 'cancelled transaction read as success',
    edits: [
      {
        file: TOGETHER,
        from: '      const refusal = refusalIn(error, tries === CONFLICT_TRIES);\n',
        to: '      if (error instanceof TransactionCanceledException) return { accepted: true, image: {} };\n      const refusal = refusalIn(error, tries === CONFLICT_TRIES);\n',
      },
    ],
    killers: ['S4', 'S18'],
    hunts: [directedHunt('stock in a crowd')],
  },
  {
    name: 'conflict read as condition failure',
    edits: [
      {
        file: ITEM_STORE,
        from: 'if (!(error instanceof ConditionalCheckFailedException)) throw error;',
        to: "if (!(error instanceof ConditionalCheckFailedException)) {\n        if ((error as Error).name === 'TransactionConflictException') return { accepted: false, old: undefined };\n        throw error;\n      }",
      },
      { file: TOGETHER, from: "conflict: codes.has('TransactionConflict') };", to: 'conflict: false };' },
      {
        file: TOGETHER,
        from: "refusal: codes.has('ConditionalCheckFailed') ? refusalOf(reasons) : undefined,",
        to: 'refusal: refusalOf(reasons),',
      },
    ],
    killers: ['S9', 'L7', 'S4', 'S18'],
    hunts: [directedHunt('stock in a crowd', 2), { by: 'simulation', story: 'many-users', seeds: 30, rate: 0.2 }],
  },
  {
    name: 'operation record that expires in an hour',
    edits: [{ file: 'shared/item/claim.ts', from: 'OWN_ITEM_RETENTION_DAYS * 86_400;', to: '0 * OWN_ITEM_RETENTION_DAYS + 3_600;' }],
    killers: ['S6', 'S18'],
    hunts: [directedHunt('expiry after hours', 1)],
  },
  {
    name: 'sweep from the leftover outbox',
    edits: [
      {
        file: 'shared/rescue/order-work.ts',
        from: '    jobs: [...operations].flatMap((operation) => jobOf(operation, order)),\n',
        to: '    jobs: image.outbox === undefined ? [] : [...operations].flatMap((operation) => jobOf(operation, order)),\n',
      },
    ],
    killers: ['S10', 'S18', 'L1', 'L4'],
    hunts: [directedHunt('crash and purge', 1)],
  },
  {
    name: 'new field required from old messages',
    edits: [
      {
        file: 'shared/worker/parse-job.ts',
        from: '  const key = definition.key(payload);\n',
        to: "  if (!Object.hasOwn(payload as object, 'channel')) return malformed('payload.channel: required');\n  const key = definition.key(payload);\n",
      },
    ],
    killers: ['S23', 'L7'],
    hunts: [directedHunt('a roll-out under load', 1)],
  },
];
