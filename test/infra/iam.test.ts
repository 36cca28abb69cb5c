import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { jobs } from '#shared/jobs/index.ts';
import { type IamMatrix, iamMatrixOf } from './iam-matrix.ts';
import { seenCalls, stormOf } from './seen-calls.ts';
import { resourcesOf, synthesize } from './synthesize.ts';

// B34 B88
const test = synthesize('test');
const prod = synthesize('prod');
const granted = iamMatrixOf(prod.pipeline);

const lines = (matrix: IamMatrix): string[] =>
  Object.entries(matrix).flatMap(([name, actions]) =>
    Object.entries(actions).flatMap(([action, resources]) => resources.map((resource) => `${name}  ${action}  ${resource}`)),
  );

/** Grants that no function of ours calls for by itself, by what they end with, each with who does. */
const CALLED_BY_OTHERS: readonly [RegExp, string][] = [
  [/ {2}logs:(?:CreateLogStream|PutLogEvents) {2}its log group$/, 'Lambda writes the lines'],
  [/ {2}xray:Put(?:TraceSegments|TelemetryRecords) {2}\*$/, 'Lambda sends the traces'],
  [/ {2}sqs:(?:ReceiveMessage|DeleteMessage|GetQueueAttributes) {2}/, 'the mapping polls the queue with the role of its function'],
  [
    / {2}dynamodb:(?:DescribeStream|GetRecords|GetShardIterator) {2}State\/stream$/,
    'the mapping reads the stream with the role of its function',
  ],
  [/ {2}dynamodb:ListStreams {2}\*$/, 'AWS asks for it before it makes a mapping of a stream'],
  [
    /^(?:dispatch-outbox {2}sqs:SendMessage {2}outbox-failed|invalidate-cache {2}sqs:SendMessage {2}invalidation-retry)-dlq$/,
    'the mapping reports there what it gave up',
  ],
  [/ {2}s3:ListBucket {2}exports$/, 'without it S3 answers 403 for an object that does not exist, which is asked for all the time'],
];

/** A limited grant is for what lies in it; a grant of a whole table for all of it. */
const covers = (grants: ReadonlySet<string>, call: string): boolean => grants.has(call) || grants.has(call.replace(/ \S+\*$/, ''));

/**
 * One program runs all kinds, and one list of queues or mappings is granted at once: what one kind uses is used. What a kind
 * reaches besides its own items (mail, stock, orders, exports) it has to use itself.
 */
const asOne = (line: string): string =>
  jobs
    .reduce(
      (text, { kind }) => text.replaceAll(new RegExp(`(execute-job/|mapping-|JOB#|  )${kind}(?=$|  |-dlq|[.]fifo|#)`, 'g'), '$1<kind>'),
      line,
    )
    .replace(/[.]fifo$/, '')
    .replace(/(execute-job\/<kind> {2}dynamodb:UpdateItem {2}State) (?:USER#|JOB#<kind>#)\*$/, '$1 <own items>');

/** Too rare for a few seeds; each with the test in which the call is made. */
const SEEN_ELSEWHERE: readonly [RegExp, string][] = [
  [/^execute-job\/<kind> {2}s3:AbortMultipartUpload {2}/, 'test/conformance/object-storage.test.ts'],
  [/^read-order {2}dynamodb:DeleteItem {2}Cache$/, 'test/unit/cache/dynamodb-cache.test.ts'],
  [
    /^rescue-jobs {2}(?:dynamodb:DeleteItem {2}Control|lambda:UpdateEventSourceMapping {2}mapping-<kind>)$/,
    'test/unit/rescue/forgotten-mappings.test.ts',
  ],
  [/^retry-outbox {2}sqs:SendMessage {2}<kind>$/, 'test/unit/outbox/retry-outbox.test.ts'],
  [/^verify-cache {2}dynamodb:(?:DeleteItem|GetItem) {2}Cache$/, 'test/unit/verify-cache/verify-cache.test.ts'],
  [/^sweep-state {2}dynamodb:UpdateItem {2}State$/, 'test/unit/rescue/sweep.test.ts'],
];

const MINUTE_MS = 60_000;
/** Enough for every grant but those above; when a change of the code moves one out of reach, look for another seed. */
const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);
const seen = await seenCalls(SEEDS.map((seed) => ({ seed, story: stormOf(seed % 5 === 0 ? 1_800 * MINUTE_MS : 12 * MINUTE_MS) })));

describe('the rights of the functions', () => {
  // Function, action, resource: what a review of a change to a role looks at.
  it('are these', async () => {
    await expect(`${lines(granted).join('\n')}\n`).toMatchFileSnapshot('iam-matrix.txt');
  });

  it('are the same in stage test, but for its sandbox', () => {
    const withoutSandbox = lines(iamMatrixOf(test.pipeline)).filter((line) => !line.includes('execute-api:Invoke'));
    expect(withoutSandbox).toEqual(lines(granted));
    expect(lines(iamMatrixOf(test.pipeline)).filter((line) => line.includes('execute-api:Invoke'))).toEqual([
      'execute-job/capture-payment  execute-api:Invoke  the sandbox API',
      'execute-job/refund-payment  execute-api:Invoke  the sandbox API',
    ]);
  });

  it('cover every call that was made', () => {
    const all = new Set(lines(granted));
    expect(lines(seen).filter((line) => !covers(all, line))).toEqual([]);
  });

  it('are all used', () => {
    const used = new Set(lines(seen).flatMap((line) => [asOne(line), asOne(line.replace(/ \S+\*$/, ''))]));
    const unused = lines(granted).filter((line) => !used.has(asOne(line)) && !CALLED_BY_OTHERS.some(([pattern]) => pattern.test(line)));
    expect(unused.filter((line) => !SEEN_ELSEWHERE.some(([pattern]) => pattern.test(asOne(line))))).toEqual([]);
  });

  it.each(SEEN_ELSEWHERE)('that are used too rarely for these seeds are granted, and tried elsewhere: %s in %s', (pattern, file) => {
    expect(lines(granted).some((line) => pattern.test(asOne(line)))).toBe(true);
    expect(existsSync(file)).toBe(true);
  });

  it.each(CALLED_BY_OTHERS)('that others use are still granted, and by no function called for: %s', (pattern) => {
    expect(lines(granted).some((line) => pattern.test(line))).toBe(true);
    expect(lines(seen).filter((line) => pattern.test(line))).toEqual([]);
  });
});

describe('keys', () => {
  it('of queues, tables, logs and exports are AWS’s own, so that no role needs a right on one and none can lack it', () => {
    for (const template of [test, prod].flatMap(({ data, pipeline, sandbox }) => [data, pipeline, sandbox ?? pipeline])) {
      expect(resourcesOf(template, 'AWS::KMS::Key')).toEqual([]);
      expect(JSON.stringify(template)).not.toMatch(/kms:|KmsMasterKeyId|KMSMasterKeyId|KmsKeyId|KmsKeyArn/);
    }
  });
});
