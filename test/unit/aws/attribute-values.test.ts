import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromAttributeValues, toAttributeValues } from '#shared/aws/attribute-values.ts';

describe('an item on its way to and from the table', () => {
  test('comes back as it went', () => {
    // The entrance refuses the name __proto__ at every depth (shared/contract/strict-json.ts), so no item has it.
    const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text !== '__proto__');
    const plain = fc.dictionary(
      name,
      fc.anything({ maxDepth: 3, key: name, values: [fc.string(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null)] }),
    );
    fc.assert(
      fc.property(plain, (item) => {
        // JSON has no undefined and no negative zero, and neither has DynamoDB.
        expect(JSON.parse(JSON.stringify(fromAttributeValues(toAttributeValues(item))))).toEqual(JSON.parse(JSON.stringify(item)));
      }),
    );
  });

  // B97
  test.each(['9007199254740993', '-9007199254740993', '12345678901234567890', '100000000000000000000000'])(
    'keeps a number it cannot hold exactly as text (%s), beside numbers it can',
    (digits) => {
      expect(fromAttributeValues({ big: { N: digits }, small: { N: '4999' }, list: { L: [{ N: digits }] } })).toEqual({
        big: digits,
        small: 4999,
        list: [digits],
      });
    },
  );

  test.each(['0', '-1', '49.99', '9007199254740991'])('reads a number it can hold as a number (%s)', (digits) => {
    expect(fromAttributeValues({ n: { N: digits } })).toEqual({ n: Number(digits) });
  });

  test('leaves undefined out at every depth', () => {
    expect(toAttributeValues({ a: undefined, b: { c: undefined, d: 1 } })).toEqual({ b: { M: { d: { N: '1' } } } });
  });

  test.each([
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a number beyond exactness', 2 ** 53],
    ['a date', new Date(0)],
    ['a class instance', new (class Odd {})()],
  ])('refuses %s instead of storing something else', (_what, value) => expect(() => toAttributeValues({ value })).toThrow());
});
