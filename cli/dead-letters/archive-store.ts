import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ObjectStoragePort } from '#shared/exports/object-storage-port.ts';

/** Where the bodies of discarded letters wait in case somebody wants them back. */
export interface ArchiveStore extends Pick<ObjectStoragePort, 'putOnce' | 'get'> {
  /** As a person is told. */
  readonly place: string;
  list(prefix: string): AsyncIterable<string>;
  remove(key: string): Promise<void>;
  close(): void;
}

/** One file a letter. A file appears whole or not at all, and the first one stays. Only this user can read it: it is what a customer wrote. */
export function createArchiveDirectory(directory: string): ArchiveStore {
  const root = resolve(directory);
  const fileOf = (key: string): string => join(root, key);
  return {
    place: root,
    async putOnce(key, text) {
      const file = fileOf(key);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const draft = `${file}.${randomUUID()}.draft`;
      await writeDurably(draft, text);
      try {
        await link(draft, file);
        return true;
      } catch (error) {
        if (hasCode(error, 'EEXIST')) return false;
        throw error;
      } finally {
        await rm(draft, { force: true });
      }
    },
    get: (key) => readFile(fileOf(key), 'utf8').catch((error: unknown) => undefinedIfMissing(error)),
    async *list(prefix) {
      const names = await readdir(root, { recursive: true }).catch((error: unknown) => undefinedIfMissing(error) ?? []);
      for (const name of names.filter((one) => one.startsWith(prefix) && one.endsWith('.json')).sort()) yield name;
    },
    remove: (key) => rm(fileOf(key), { force: true }),
    close: () => {},
  };
}

/** On the disk before the letter is deleted, whatever happens to this machine. */
async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (hasCode(error, 'ENOENT')) return undefined;
  throw error;
}

const hasCode = (error: unknown, code: string): boolean => (error as { code?: unknown } | null)?.code === code;
