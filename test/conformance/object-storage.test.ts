import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { createObjectStorage } from '#shared/aws/object-storage.ts';
import type { ObjectStoragePort } from '#shared/exports/object-storage-port.ts';
import { createFakeS3 } from '../support/fake-s3.ts';
import { createMemoryObjects } from '../support/memory-objects.ts';

const endpoint = process.env['CONFORMANCE_ENDPOINT_URL'];
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

async function onEmulator(): Promise<ObjectStoragePort> {
  const client = new S3Client({ region: 'us-east-1', endpoint: endpoint ?? '', credentials });
  const Bucket = `objects-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket }));
  return createObjectStorage(async () => client, Bucket);
}

async function onFake(): Promise<ObjectStoragePort> {
  const { client } = createFakeS3();
  return createObjectStorage(async () => client, 'bucket');
}

const targets: [string, () => Promise<ObjectStoragePort>][] = [
  ['memory', async () => createMemoryObjects()],
  ['S3 as the fake knows it', onFake],
  ...(endpoint === undefined ? [] : [['S3 of the emulator', onEmulator] as [string, () => Promise<ObjectStoragePort>]]),
];

async function* chunks(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}
const MiB = 1024 * 1024;
const key = () => `exports/u-1/${randomUUID()}/part-1.jsonl`;

describe.each(targets)('object storage: %s', (_name, create) => {
  it('gives back what was put, whatever it holds, and nothing for a key nobody put', async () => {
    const objects = await create();
    const text = '{"note":"Grüße 😀 €"}\n';
    const at = key();
    expect(await objects.get(at)).toBeUndefined();
    expect(await objects.putOnce(at, text)).toBe(true);
    expect(await objects.get(at)).toBe(text);
    await objects.put(at, chunks('a', '', 'b€'));
    expect(await objects.get(at)).toBe('ab€');
  });

  it('keeps an object that is written once as its first writer left it', async () => {
    const objects = await create();
    const at = key();
    expect(await objects.putOnce(at, 'first')).toBe(true);
    expect(await objects.putOnce(at, 'second')).toBe(false);
    expect(await objects.get(at)).toBe('first');
  });

  it('lets one of many writers at once be the first', async () => {
    const objects = await create();
    const at = key();
    const wins = await Promise.all(
      Array.from({ length: 10 }, (_, index) => objects.putOnce(at, `writer-${index}`).then((won) => (won ? `writer-${index}` : undefined))),
    );
    const winners = wins.filter((winner) => winner !== undefined);
    expect(winners).toHaveLength(1);
    expect(await objects.get(at)).toBe(winners[0]);
  });

  it('holds an empty object', async () => {
    const objects = await create();
    const [once, whole] = [key(), key()];
    await objects.putOnce(once, '');
    await objects.put(whole, chunks());
    expect([await objects.get(once), await objects.get(whole)]).toEqual(['', '']);
  });

  it.each([8 * MiB - 1, 8 * MiB, 17 * MiB])('puts %i bytes together in their order', async (bytes) => {
    const objects = await create();
    const at = key();
    const text = Array.from({ length: Math.ceil(bytes / 16) }, (_, index) => String(index).padStart(16, '.'))
      .join('')
      .slice(0, bytes);
    const pieces = text.match(/.{1,700000}/gs) ?? [];
    await objects.put(at, chunks(...pieces));
    expect((await objects.get(at)) === text).toBe(true);
  });
});

describe('the S3 adapter', () => {
  const create = (options?: { maxAttempts: number }) => {
    const s3 = createFakeS3(options);
    return { s3, objects: createObjectStorage(async () => s3.client, 'bucket') };
  };
  const long = (): AsyncGenerator<string> => chunks(...Array.from({ length: 17 }, () => 'x'.repeat(MiB)));

  it('takes one request for an object that fits into one, and never holds more than a part', async () => {
    const { s3, objects } = create();
    await objects.put('a', chunks('x'.repeat(MiB)));
    expect(s3.calls.map(({ method }) => method)).toEqual(['PUT']);
    await objects.put('b', long());
    expect(Math.max(...s3.calls.map(({ bytes }) => bytes))).toBeLessThan(10 * MiB);
    expect(s3.uploads.size).toBe(0);
  });

  it('uploads no empty part after an object that ends with a full one', async () => {
    const { s3, objects } = create();
    await objects.put('a', chunks(...Array.from({ length: 8 }, () => 'x'.repeat(MiB))));
    expect(s3.calls.map(({ method, bytes }) => [method, bytes >= MiB])).toEqual([
      ['POST', false],
      ['PUT', true],
      ['POST', false],
    ]);
  });

  it('leaves what was there when an upload breaks off, and takes back what it began', async () => {
    const { s3, objects } = create();
    await objects.put('a', chunks('before'));
    s3.fault = (method, { partNumber }) => (method === 'PUT' && partNumber === '2' ? { status: 500, code: 'InternalError' } : undefined);
    await expect(objects.put('a', long())).rejects.toThrow();
    expect(await objects.get('a')).toBe('before');
    expect(s3.uploads.size).toBe(0);
  });

  it('takes back what it began when the parts themselves stop coming', async () => {
    const { s3, objects } = create();
    const breaking = async function* (): AsyncGenerator<string> {
      yield* long();
      throw new RangeError('no more');
    };
    await expect(objects.put('a', breaking())).rejects.toThrow('no more');
    expect([s3.objects.size, s3.uploads.size]).toEqual([0, 0]);
  });

  // The SDK repeats a put whose answer was lost and meets its own object.
  it('says of an object whose answer was lost that it is there, with what was put', async () => {
    const { s3, objects } = create({ maxAttempts: 2 });
    let lost = 1;
    s3.fault = () => (lost-- > 0 ? 'apply-then-lose-answer' : undefined);
    expect(await objects.putOnce('a', 'text')).toBe(false);
    expect(await objects.get('a')).toBe('text');
  });

  it.each([403, 409, 500, 503])('takes an answer of %i for a failure, never for an object or for none', async (status) => {
    const { s3, objects } = create();
    s3.fault = () => ({ status, code: status === 409 ? 'ConditionalRequestConflict' : 'SomeError' });
    await expect(objects.putOnce('a', 'text')).rejects.toThrow();
    await expect(objects.get('a')).rejects.toThrow();
    await expect(objects.put('a', chunks('text'))).rejects.toThrow();
  });
});
