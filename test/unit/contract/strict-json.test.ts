import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { parseStrictJson } from '#shared/contract/strict-json.ts';

const CAP = 16 * 1024;
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('text from outside', () => {
  test('that is plain JSON is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        const read = parseStrictJson(text, 1e6);
        if (read.ok) expect(read.value).toEqual(JSON.parse(text));
        else expect(read.reason).toBe('forbidden-name');
      }),
    );
  });

  test('never makes it throw, whatever it is, and never comes back in the answer', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.string({ maxLength: 200 }).map((text) => `{"card":${text}`),
        ),
        (text) => {
          const read = parseStrictJson(text, CAP);
          if (!read.ok) expect(Object.keys(read).sort()).toEqual(['ok', 'reason']);
        },
      ),
    );
  });

  test.each([
    ['of eight levels passes', nested(8), undefined],
    ['of nine levels is too deep', nested(9), 'too-deep'],
    ['with brackets inside a text is not nested', JSON.stringify(`${'['.repeat(100)}"`), undefined],
    ['with an escaped quote before brackets is not nested', '"\\"[[[[[[[[[[[["', undefined],
    ['of exactly the cap passes', JSON.stringify('x'.repeat(CAP - 2)), undefined],
    ['of one byte more is too large', JSON.stringify('x'.repeat(CAP - 1)), 'too-large'],
    ['counted in bytes, not characters, is too large', JSON.stringify('é'.repeat(CAP / 2)), 'too-large'],
    ['with a name of the prototype chain is refused', '{"a":[{"__proto__":1}]}', 'forbidden-name'],
    ['with such a name as a value passes', '{"a":"__proto__"}', undefined],
    ['with a trailing comma is no JSON', '{"a":1,}', 'not-json'],
    ['with a byte order mark is no JSON', '\uFEFF{}', 'not-json'],
    ['with two documents is no JSON', '{}{}', 'not-json'],
  ])('%s', (_what, text, reason) => {
    const read = parseStrictJson(text, CAP);
    expect(read.ok ? undefined : read.reason).toBe(reason);
  });

  test('does not touch any prototype', () => {
    parseStrictJson('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}', CAP);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test.each([
    ['a megabyte of brackets', '['.repeat(1024 * 1024)],
    ['a hundred thousand fields', `{${'"k":1,'.repeat(100_000)}"k":1}`],
    ['16 KB of brackets', '['.repeat(CAP)],
  ])('of %s is refused before it is parsed', (_what, text) => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(parseStrictJson(text, CAP).ok).toBe(false);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });
});
