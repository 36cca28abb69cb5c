import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { jobs } from '#shared/jobs/index.ts';
import { type AnyJobDefinition, defineJob } from '#shared/worker/define-job.ts';
import { olderVersion } from '#shared/worker/payload-versions.ts';
import { firstDifference, messageSchemaOf } from '../../../scripts/payload-schemas.ts';
import { breakingChanges, outOfDate } from '../../../scripts/schema-faults.ts';
import { readSchema, readShipped, writeSchemas } from '../../../scripts/shipped-schemas.ts';

const CHECKED_IN = join(import.meta.dirname, '..', '..', '..', 'docs', 'schemas');

/** Fields of a payload; `note` may be left out. */
const fields = { id: z.string().max(40), amount: z.int().min(1).max(100), note: z.string().max(10).optional() };
const examples = [
  { id: 'a', amount: 1 },
  { id: 'a', amount: 1, note: 'n' },
];
const shape = (more: Record<string, z.ZodType> = {}) => z.strictObject({ ...fields, ...more });

const kind = (over: object = {}): AnyJobDefinition =>
  defineJob({
    kind: 'demo-job',
    version: 1,
    payload: shape().meta({ examples }),
    key: ({ id }: { id: string }) => `demo:${id}`,
    intent: ({ amount }: { amount: number }) => ({ amount }),
    timing: { p99Ms: 500, dependencyTimeoutMs: 3_000, marginMs: 3_000 },
    queue: { batchSize: 1, maxConcurrency: 2 },
    result: z.unknown(),
    run: () => Promise.reject(new Error('not run here')),
    ...over,
  } as never);

const version2 = (over: object = {}): AnyJobDefinition =>
  kind({
    version: 2,
    payload: shape({ channel: z.string() }).meta({ examples: examples.map((example) => ({ ...example, channel: 'web' })) }),
    versions: { 1: olderVersion(shape().meta({ examples }), (old) => ({ ...old, channel: 'web' })) },
    ...over,
  });

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'andal-schemas-'));
  writeSchemas(directory, [kind()]);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const faultsOf = (...definitions: readonly AnyJobDefinition[]): string[] => breakingChanges(directory, definitions);

describe('the schemas that are checked in', () => {
  test('are those of the job kinds, and nothing that has shipped is broken', () => {
    expect(breakingChanges(CHECKED_IN, jobs)).toEqual([]);
    expect(outOfDate(CHECKED_IN, jobs)).toEqual([]);
  });

  test('hold the whole message: envelope, kind, version and payload, and no field besides', () => {
    const schema = readSchema(CHECKED_IN, 'capture-payment', 1);
    expect(schema).toMatchObject({
      additionalProperties: false,
      required: ['kind', 'version', 'idempotencyKey', 'payload', 'enqueuedAt'],
      properties: {
        kind: { const: 'capture-payment' },
        version: { const: 1 },
        payload: { additionalProperties: false, required: ['userId', 'orderId', 'attempt'] },
      },
    });
  });
});

describe('a version that has shipped', () => {
  test.each([
    ['a new field', { payload: shape({ channel: z.string().optional() }) }, 'properties.payload.properties.channel'],
    ['a field removed', { payload: shape().omit({ note: true }) }, 'properties.payload.properties.note'],
    ['a field that must be there', { payload: shape({ note: z.string().max(10) }) }, 'properties.payload.required'],
    ['a field that need not be there', { payload: shape({ amount: fields.amount.optional() }) }, 'properties.payload.required'],
    ['a wider field', { payload: shape({ amount: z.int().min(1).max(101) }) }, 'properties.payload.properties.amount.maximum'],
    ['a narrower field', { payload: shape({ amount: z.int().min(2).max(100) }) }, 'properties.payload.properties.amount.minimum'],
    ['another type', { payload: shape({ amount: z.string() }) }, 'properties.payload.properties.amount'],
    ['fields it does not know', { payload: z.object(fields).loose() }, 'properties.payload.additionalProperties'],
  ])('cannot get %s, and the sentence says what to do instead', (_what, over, path) => {
    const faults = faultsOf(kind(over));
    expect(faults[0]).toContain(`demo-job version 1 has shipped and would change at ${path}`);
    expect(faults[0]).toMatch(/put the old schema back and give it version 2 and an upgrade from 1$/);
  });

  test('may get other words, other examples and another order of its fields', () => {
    const { note, ...rest } = fields;
    const reworded = z
      .strictObject({ note: note.describe('a remark'), ...rest })
      .meta({ title: 'x', examples: [...examples, { id: 'b', amount: 2 }] });
    expect(faultsOf(kind({ payload: reworded }))).toEqual([]);
  });

  test('is changed by a field called as a word for people is', () => {
    expect(faultsOf(kind({ payload: shape({ title: z.string().optional() }) }))[0]).toContain('properties.title');
  });

  test.each([
    ['another key', { key: ({ id }: { id: string }) => `other:${id}` }, 'its idempotencyKey was demo:a and would be other:a'],
    ['another intent', { intent: ({ id }: { id: string }) => ({ id }) }, 'its intentHash was'],
    [
      'another item',
      { item: () => ({ pk: 'X', sk: 'Y' }), operation: () => 'run' },
      'its item was JOB#demo-job#demo:a JOB and would be X Y',
    ],
    [
      'another operation',
      { item: () => ({ pk: 'JOB#demo-job#demo:a', sk: 'JOB' }), operation: () => 'go' },
      'its operation was run and would be go',
    ],
  ])('cannot mean another job by %s, for one job would run twice', (_what, over, sentence) => {
    expect(faultsOf(kind(over))[0]).toContain(`demo-job version 1, recorded job 1: ${sentence}`);
    expect(faultsOf(version2(over))[0]).toContain(`demo-job version 1, recorded job 1: ${sentence}`);
  });

  test('cannot lose its file, nor have it mended by hand', () => {
    const file = join(directory, 'demo-job', 'v1.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('100', '101'));
    expect(faultsOf(kind({ payload: shape({ amount: z.int().min(1).max(101) }) }))).toEqual([
      expect.stringContaining('docs/schemas/demo-job/v1.json is not the file that `npm run schemas` recorded: restore it'),
    ]);
    rmSync(file);
    expect(faultsOf(kind())).toHaveLength(1);
    writeFileSync(file, text);
    expect(faultsOf(kind())).toEqual([]);
  });

  test('cannot lose its reader, unless the kind says that nothing so old is left', () => {
    const { versions: _, ...rest } = version2();
    expect(faultsOf(rest as AnyJobDefinition)[0]).toContain(
      'demo-job version 1 has shipped and cannot be read any more: give version 2 an upgrade from 1',
    );
    expect(faultsOf(defineJob({ ...rest, oldestVersion: 2 } as AnyJobDefinition))).toEqual([]);
  });

  test('cannot disappear with its kind, and numbers do not go down', () => {
    expect(faultsOf()).toEqual([expect.stringContaining('demo-job has shipped and is gone')]);
    writeSchemas(directory, [version2()]);
    expect(faultsOf(kind())).toEqual([expect.stringContaining('demo-job version 2 has shipped: this code writes 1')]);
  });
});

describe('a new version', () => {
  test('with an upgrade from the old one breaks nothing, is missing until it is written down, and then has shipped too', () => {
    expect(faultsOf(version2())).toEqual([]);
    expect(outOfDate(directory, [version2()])).toEqual([expect.stringMatching(/demo-job\/v2\.json is out of date: run `npm run schemas`/)]);
    writeSchemas(directory, [version2()]);
    expect(outOfDate(directory, [version2()])).toEqual([]);
    expect(Object.keys(readShipped(directory)['demo-job'] ?? {})).toEqual(['1', '2']);
    expect(faultsOf(version2({ payload: shape({ channel: z.string(), shop: z.string() }) }))).toContainEqual(
      expect.stringMatching(/give it version 3 and an upgrade from 2$/),
    );
  });

  test('does not excuse a change of the old one', () => {
    const wider = olderVersion(shape({ amount: z.int().min(1).max(101) }).meta({ examples }), (old) => ({ ...old, channel: 'web' }));
    expect(faultsOf(version2({ versions: { 1: wider } }))).toEqual([
      'demo-job version 1 has shipped and would change at properties.payload.properties.amount.maximum: put the old schema back and change the newest version only',
    ]);
  });

  test('is held against nothing when it is drafted again, and its jobs are recorded anew', () => {
    const changed = version2({
      payload: shape({ shop: z.string() }).meta({ examples: examples.map((one) => ({ ...one, shop: 's' })) }),
      versions: { 1: olderVersion(shape().meta({ examples }), (old) => ({ ...old, shop: 's' })) },
    });
    writeSchemas(directory, [version2()]);
    const draft = { kind: 'demo-job', version: 2 };
    expect(breakingChanges(directory, [changed])).not.toEqual([]);
    expect(breakingChanges(directory, [changed], draft)).toEqual([]);
    writeSchemas(directory, [changed], draft);
    expect(breakingChanges(directory, [changed])).toEqual([]);
    expect(readShipped(directory)['demo-job']?.['2']?.jobs[0]?.payload).toEqual({ id: 'a', amount: 1, shop: 's' });
  });
});

test('what a version looked like when it shipped stays recorded when its examples change', () => {
  const before = readShipped(directory)['demo-job']?.['1']?.jobs;
  writeSchemas(directory, [
    kind({
      payload: shape().meta({
        examples: [
          { id: 'z', amount: 9 },
          { id: 'z', amount: 9, note: 'n' },
        ],
      }),
    }),
  ]);
  expect(readShipped(directory)['demo-job']?.['1']?.jobs).toEqual(before);
  expect(outOfDate(directory, [kind()])).toEqual([expect.stringContaining('v1.json is out of date')]);
});

test.each([
  ['no example', [], /has no example: add `\.meta/],
  ['an example that is none', [{ id: 'a' }], /has an example that is no payload of it/],
  ['no example without an optional field', [examples[1]], /needs an example with note and one without/],
  ['no example with an optional field', [examples[0]], /needs an example with note and one without/],
])('a version with %s cannot be recorded', (_what, given, sentence) => {
  const faults = outOfDate(directory, [kind({ payload: shape().meta({ examples: given }) })]);
  expect(faults[0]).toMatch(sentence);
});

test('two schemas differ where one has a value and the other a structure', () => {
  const schema = messageSchemaOf(kind(), 1);
  expect(firstDifference(schema, { ...schema, properties: true })).toBe('properties');
  expect(firstDifference(schema, schema)).toBeUndefined();
});
