import { randomUUID } from 'node:crypto';
import { access, constants, link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ObjectStoragePort } from '#shared/exports/object-storage-port.ts';
import { CliError, EXIT } from '../output/cli-error.ts';

/** Where the bodies of discarded letters wait in case somebody wants them back. */
export interface ArchiveStore extends Pick<ObjectStoragePort, 'putOnce' | 'get'> {
  /** As a person is told. */
  readonly place: string;
  /** @throws CliError when nothing can be kept there */
  open(): Promise<void>;
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
    async open() {
      try {
        await makeDirectory(root);
        await access(root, constants.W_OK);
      } catch (error) {
        const code = (error as { code?: unknown }).code ?? 'unknown';
        throw new CliError(`Nothing can be kept in ${root} (${code}): name another directory with --archive.`, { cause: error });
      }
    },
    async putOnce(key, text) {
      const file = fileOf(key);
      await makeDirectory(dirname(file));
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
      const names = await readdir(root, { recursive: true }).catch((error: unknown) => undefinedIfMissing(error));
      if (names === undefined) throw noDirectory(root);
      for (const name of names.filter((one) => one.startsWith(prefix) && one.endsWith('.json')).sort()) yield name;
    },
    remove: (key) => rm(fileOf(key), { force: true }),
    close: () => {},
  };
}

const noDirectory = (root: string): CliError =>
  new CliError(`There is no directory ${root}: nothing was ever archived there, or --archive has to name another one.`, {
    exitCode: EXIT.nothingFound,
  });

/** Step by step: Node's own way of making parents goes on for ever where a file system lets nothing be made, as below /proc. */
async function makeDirectory(directory: string): Promise<void> {
  const make = (): Promise<unknown> => mkdir(directory, { mode: 0o700 });
  try {
    await make();
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    if (!hasCode(error, 'ENOENT') || dirname(directory) === directory) throw error;
    await makeDirectory(dirname(directory));
    await make().catch((again: unknown) => {
      if (!hasCode(again, 'EEXIST')) throw again;
    });
  }
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
