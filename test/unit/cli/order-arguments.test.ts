import { describe, expect, it } from 'vitest';
import { parseAmount, parseCurrency, parseIdempotencyKey, parseNote, parseUserId } from '../../../cli/commands/order-arguments.ts';
import { parsePort } from '../../../cli/commands/up.ts';

describe('a number on the command line', () => {
  it.each(['1e3', '0x10', ' 5', '5 ', '', '+5', '-5', '5.0', '1_000', '007', '0', '100000000', 'Infinity', '٣'])(
    'is refused as an amount: "%s"',
    (text) => {
      expect(() => parseAmount(text)).toThrow('whole number of minor units from 1 to 99999999, in plain digits');
    },
  );

  it('is taken in plain digits', () => {
    expect([parseAmount('1'), parseAmount('4999'), parseAmount('99999999'), parsePort('4578')]).toEqual([1, 4_999, 99_999_999, 4_578]);
  });

  it.each(['1e4', '0x2000', '80', '65536'])('is refused as a port: "%s"', (text) => {
    expect(() => parsePort(text)).toThrow('from 1024 to 65535');
  });
});

describe('what the API would refuse', () => {
  it.each([
    ['user id', parseUserId, ['', 'u 1', 'u/1', 'ü', 'u'.repeat(41)], 'A user id is 1 to 40 characters'],
    ['currency', parseCurrency, ['', 'eur', 'EURO', 'XYZ', '€'], 'ISO 4217'],
    ['key', parseIdempotencyKey, ['', 'a b', 'ä', 'k'.repeat(129)], 'A key is 1 to 128'],
    ['note', parseNote, ['\u0007', 'n'.repeat(141)], 'A note is text of at most 140'],
  ] as const)('is refused here as a %s, in a sentence', (_, parse, texts, sentence) => {
    for (const text of texts) expect(() => parse(text)).toThrow(sentence);
  });

  it('is not everything', () => {
    expect([parseUserId('u-1'), parseCurrency('JPY'), parseIdempotencyKey('basket-4711'), parseNote('for Zoë')]).toEqual([
      'u-1',
      'JPY',
      'basket-4711',
      'for Zoë',
    ]);
  });
});
