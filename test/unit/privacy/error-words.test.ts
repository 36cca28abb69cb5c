import { globSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StatedError } from '#shared/contract/stated-error.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { withoutWords } from '#shared/runtime/without-words.ts';
import { ALL_CANARIES, canaryIn } from './canaries.ts';
import { captureOutput } from './captured-output.ts';

/** As an SDK throws it: what was sent in its words, an item in its members, and lines in its text that look like places in code. */
const talkative = (): Error => {
  const error = new Error(`${ALL_CANARIES}\n    at ${ALL_CANARIES} (x:1:1)\n    at 4000000000000002`, { cause: new Error(ALL_CANARIES) });
  return Object.assign(error, { name: 'ConditionalCheckFailedException', Item: { note: { S: ALL_CANARIES } }, code: ALL_CANARIES });
};

describe('what leaves a function as an error', () => {
  const thrownBy = async (failing: () => unknown): Promise<Error> =>
    withoutWords(async () => failing())().then(
      () => new Error('nothing was thrown'),
      (error: Error) => error,
    );
  const printed = (error: Error): string =>
    `${error.name} ${error.message} ${error.stack} ${JSON.stringify({ ...error, cause: error.cause })}`;

  test('names the class and the place, and not a word or member of it', async () => {
    const error = await thrownBy(() => Promise.reject(talkative()));
    expect(canaryIn(printed(error))).toBeUndefined();
    expect(error).toMatchObject({ name: 'FunctionFailed', message: 'failed with ConditionalCheckFailedException' });
    expect(error.stack).toContain('error-words.test.ts');
  });

  test.each([
    ['a text', () => Promise.reject(ALL_CANARIES)],
    ['an object', () => Promise.reject({ toString: () => ALL_CANARIES })],
    ['an error with a name of its own', () => Promise.reject(Object.assign(new Error(), { name: ALL_CANARIES }))],
    ['what JSON could not be read', () => JSON.parse(`{"card": ${ALL_CANARIES}`)],
    ['an error of ours with another behind it', () => Promise.reject(new StatedError('stated', { cause: talkative() }))],
    ['an error of ours with members', () => Promise.reject(Object.assign(new StatedError('stated'), { Item: ALL_CANARIES }))],
  ])('tells nothing of %s', async (_what, failing) => expect(canaryIn(printed(await thrownBy(failing)))).toBeUndefined());

  test('keeps a text of ours', async () => {
    expect(await thrownBy(() => Promise.reject(new StatedError('two records are left')))).toMatchObject({
      message: 'two records are left',
    });
  });

  test('is no error when there is none, and the arguments arrive', async () => {
    expect(await withoutWords(async (a: number, b: number) => a + b)(1, 2)).toBe(3);
  });

  test.each(globSync('functions/*/index.ts'))('is so in %s', (file) =>
    expect(readFileSync(file, 'utf8')).toMatch(/^export const handler = withoutWords\(wire\(system\)\);$/m),
  );
});

describe('a line of the log', () => {
  let output: ReturnType<typeof captureOutput>;
  beforeEach(() => {
    output = captureOutput();
  });
  afterEach(() => output.restore());

  test.each(['info', 'warn', 'error'] as const)(
    '(%s) holds the class and the place of an error, wherever it stands among the fields',
    (level) => {
      createLogger('privacy')[level]('failed', { error: talkative(), failures: [{ error: talkative() }], id: 'ord-1' });
      expect(output.lines).toHaveLength(1);
      expect(canaryIn(output.lines[0] ?? '')).toBeUndefined();
      expect(JSON.parse(output.lines[0] ?? '')).toMatchObject({
        message: 'failed',
        id: 'ord-1',
        error: { name: 'ConditionalCheckFailedException', stack: expect.stringContaining('error-words.test.ts'), cause: { name: 'Error' } },
        failures: [{ error: { name: 'ConditionalCheckFailedException' } }],
      });
    },
  );

  test('holds the text of an error of ours', () => {
    createLogger('privacy').error('failed', { error: new StatedError('order ord-1 cannot be read (note)') });
    expect(JSON.parse(output.lines[0] ?? '')).toMatchObject({ error: { message: 'order ord-1 cannot be read (note)' } });
  });
});
