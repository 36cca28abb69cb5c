import type { ObjectStoragePort } from '#shared/exports/object-storage-port.ts';

export interface MemoryObjects extends ObjectStoragePort {
  /** What is stored, by key; an object half written is not there. */
  readonly stored: Map<string, string>;
  /** Called before each operation takes effect; may wait, or throw. */
  before: ((operation: keyof ObjectStoragePort, key: string) => Promise<void> | void) | undefined;
  /** Called after it took effect; throwing loses the answer. */
  after: ((operation: keyof ObjectStoragePort, key: string) => Promise<void> | void) | undefined;
}

/** The object storage port in memory: the same answers as the S3 adapter (test/conformance/object-storage.test.ts), and faults on demand. */
export function createMemoryObjects(): MemoryObjects {
  const stored = new Map<string, string>();
  const objects: MemoryObjects = {
    stored,
    before: undefined,
    after: undefined,
    async putOnce(key, text) {
      await objects.before?.('putOnce', key);
      const isNew = !stored.has(key);
      if (isNew) stored.set(key, text);
      await objects.after?.('putOnce', key);
      return isNew;
    },
    async put(key, chunks) {
      let text = '';
      for await (const chunk of chunks) text += chunk;
      await objects.before?.('put', key);
      stored.set(key, text);
      await objects.after?.('put', key);
    },
    async get(key) {
      await objects.before?.('get', key);
      return stored.get(key);
    },
  };
  return objects;
}
