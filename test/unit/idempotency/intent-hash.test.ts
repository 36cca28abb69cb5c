import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { intentHash } from '#shared/idempotency/intent-hash.ts';

const shuffledKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffledKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, shuffledKeys(member)]),
  );
};

// B07
describe('the hash of an intent', () => {
  test('is fixed, so that no later version of this code files an old intent elsewhere', () => {
    expect(intentHash({ attempt: 1 })).toBe('UrnVJzi0EYdcj6AjPk4sq-');
    expect(intentHash({ attempt: 1 })).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  test('does not depend on the order of keys at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(intentHash(shuffledKeys(value))).toBe(intentHash(value));
      }),
    );
  });

  test('does not depend on how a number or a text is written', () => {
    const text = '{"metadata":{"a":1,"b":{"x":1,"y":2}},"amountMinor":4999}';
    const other = '{ "amountMinor" : 4.9990e3, "metadata": {"b":{"y":2.0,"x":1},"\\u0061":1} }';
    expect(intentHash(JSON.parse(other))).toBe(intentHash(JSON.parse(text)));
  });

  test('depends on the order of an array, on letter case and on every value', () => {
    const hashes = [
      { lines: ['a', 'b'] },
      { lines: ['b', 'a'] },
      { Lines: ['a', 'b'] },
      { lines: ['a', 'b', null] },
      { lines: ['a', 'B'] },
      {},
    ].map(intentHash);
    expect(new Set(hashes).size).toBe(6);
  });

  test.each([[undefined], [() => 1]])('of what is no JSON is an error, not a shared hash', (value) => {
    expect(() => intentHash(value)).toThrow(TypeError);
  });
});
