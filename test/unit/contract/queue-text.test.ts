import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queueText } from '#shared/contract/queue-text.ts';

const XML_CHARACTERS = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

// B38
test('whatever is put into a message, SQS takes it and it comes out unchanged', () => {
  const anyText = fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 })
    .map((units) => String.fromCharCode(...units, 0xffff, 0xfffe, 0xd800));
  fc.assert(
    fc.property(anyText, (text) => {
      const body = queueText({ [text]: text });
      expect(body).toMatch(XML_CHARACTERS);
      expect(JSON.parse(body)).toEqual({ [text]: text });
    }),
  );
});
