import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { runCaseSchema } from './run-case.ts';

const CORPUS = join(import.meta.dirname, '..', 'corpus');

/** A run that once broke a promise, kept so that it never does again. */
const entrySchema = z.strictObject({
  /** What went wrong and why, in a sentence or two. */
  about: z.string().min(1),
  /** The promise it broke. */
  invariant: z.string().min(1),
  runCase: runCaseSchema,
});
export type CorpusEntry = z.infer<typeof entrySchema>;

/** @throws Error naming the file that cannot be read */
export function readCorpus(directory = CORPUS): CorpusEntry[] {
  return globSync(join(directory, '*.json'))
    .sort()
    .map((file) => {
      try {
        return entrySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
      } catch (cause) {
        throw new Error(`${basename(file)} is no entry of the corpus`, { cause });
      }
    });
}

/** @returns the path of the new file */
export function addToCorpus(entry: CorpusEntry, directory = CORPUS): string {
  const { mode, seed, frozen } = entry.runCase;
  const name = [entry.invariant, mode, frozen ?? '', seed].filter((part) => part !== '').join('-');
  const file = join(directory, `${name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-')}.json`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, `${JSON.stringify(entrySchema.parse(entry), null, 2)}\n`);
  return file;
}
