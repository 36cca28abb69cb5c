import { makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { describe, expect, test } from 'vitest';
import { ItemPersistenceLayer } from '#shared/idempotency/item-persistence-layer.ts';
import type { ItemProtocol, Settlement } from '#shared/idempotency/item-protocol.ts';
import type { ItemWrite, WriteAnswer } from '#shared/item/expression.ts';

const write = (name: string): ItemWrite => ({ key: { pk: name, sk: '' }, condition: '', names: {}, values: {} });
const settlement: Settlement = { kind: 'retry', code: 'later', write: write('settle'), delayMs: 1 };

/** The layer over a store that answers as told; what it sent stands in `sent`. */
function createLayer(answers: Record<string, WriteAnswer>, protocol: Partial<ItemProtocol> = {}) {
  const sent: string[] = [];
  const layer = new ItemPersistenceLayer(
    {
      operation: 'capture:1',
      identity: { operation: 'capture:1', owner: 'me', intentHash: 'h', nowMs: 0 },
      holder: { owner: 'me', fence: 1 },
      verdict: { kind: 'retry', code: 'later', sent: 'maybe' },
      claim: () => write('claim'),
      began: () => undefined,
      commit: () => [write('commit')],
      settlementOf: () => settlement,
      ...protocol,
    },
    {
      async write({ key }) {
        sent.push(key.pk);
        return answers[key.pk] ?? { accepted: true, image: { fence: 1 } };
      },
      writeTogether: () => Promise.reject(new Error('one write only')),
      read: async () => undefined,
    },
  );
  return { layer, sent };
}

const run = (layer: ItemPersistenceLayer, work: () => Promise<unknown>) => {
  const wrapped = makeIdempotent(work, { persistenceStore: layer }) as (input: object) => Promise<unknown>;
  return wrapped({ any: 1 }).catch((error: unknown) => error);
};

describe('Powertools’ three calls', () => {
  test('are claim and commit when the work returns', async () => {
    const { layer, sent } = createLayer({});
    expect(await run(layer, async () => 'result')).toBe('result');
    expect(sent).toEqual(['claim', 'commit']);
    expect(layer.report).toEqual({ kind: 'committed' });
  });

  test('are claim and settle when it throws', async () => {
    const { layer, sent } = createLayer({});
    await run(layer, () => Promise.reject(new Error('x')));
    expect(sent).toEqual(['claim', 'settle']);
    expect(layer.report).toEqual({ kind: 'settled', settlement });
  });

  test('are the claim alone when it is refused: the work is not begun and nothing is read', async () => {
    const { layer, sent } = createLayer({ claim: { accepted: false, old: { lease: 'held', leaseOwner: 'other', leaseUntilMs: 9 } } });
    let begun = false;
    await run(layer, async () => {
      begun = true;
    });
    expect({ begun, sent }).toEqual({ begun: false, sent: ['claim'] });
    expect(layer.report).toMatchObject({ kind: 'claim-refused', refusal: { kind: 'busy' } });
  });

  test('give a finished duplicate the stored result, however old it is', async () => {
    const record = { status: 'completed', result: { captureId: 'cap-1' }, hash: 'h', atMs: 0, by: 'other', fence: 1, tries: 1 };
    const { layer, sent } = createLayer({ claim: { accepted: false, old: { 'op:capture:1': record } } });
    expect(await run(layer, () => Promise.reject(new Error('must not run')))).toEqual({ captureId: 'cap-1' });
    expect(sent).toEqual(['claim']);
  });
});

// B02
test('the record’s name is the operation’s, whatever the wrapped function did to its input', () => {
  const { layer } = createLayer({});
  for (const data of [{}, undefined, { id: 'moved' }]) expect(layer.getHashedIdempotencyKey(data)).toBe('capture:1');
});

test('nothing is ever read: a refused claim carries the old item', async () => {
  await expect(createLayer({}).layer.getRecord({})).rejects.toThrow('nothing is read');
});

test('a settle that cannot even be built leaves the account at claimed, which hands the message back', async () => {
  const failing = () => {
    throw new RangeError('cannot be built');
  };
  const { layer, sent } = createLayer({}, { settlementOf: failing });
  await run(layer, () => Promise.reject(new Error('x')));
  expect(sent).toEqual(['claim']);
  expect(layer.report).toEqual({ kind: 'claimed' });
});
