import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { examplesOf, type Identity, identityOf, type JsonSchema, messageSchemaOf, versionsOf } from './payload-schemas.ts';

/** A job as it was when its version shipped; later code must find the same one in it. */
export interface ShippedJob extends Identity {
  readonly payload: unknown;
}

export interface ShippedVersion {
  /** Hash of the schema file, so that the two are changed together or not at all. */
  readonly sha256: string;
  readonly jobs: readonly ShippedJob[];
}

/** kind → version → what shipped */
export type Shipped = Readonly<Record<string, Readonly<Record<string, ShippedVersion>>>>;

export const schemaFile = (kind: string, version: number): string => join(kind, `v${version}.json`);

/** Whatever is written down here counts as shipped: messages of it may lie in a queue somewhere. */
const LOCK_FILE = 'shipped.json';

export const readShipped = (directory: string): Shipped => (readJson(join(directory, LOCK_FILE)) ?? {}) as Shipped;

export const readSchema = (directory: string, kind: string, version: number): JsonSchema | undefined =>
  readJson(join(directory, schemaFile(kind, version))) as JsonSchema | undefined;

function readJson(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

export const sha256Of = (schema: unknown): string => createHash('sha256').update(textOf(schema)).digest('hex');

/**
 * Writes the files as the code has them. Jobs once recorded stay: they are what a version looked like when it shipped.
 *
 * @param draft a version nobody has deployed yet, recorded anew
 */
export function writeSchemas(directory: string, definitions: readonly AnyJobDefinition[], draft?: { kind: string; version: number }): void {
  const shipped: Record<string, Record<string, ShippedVersion>> = structuredClone(readShipped(directory));
  for (const definition of definitions) {
    const { kind } = definition;
    for (const version of versionsOf(definition)) {
      const schema = messageSchemaOf(definition, version);
      write(join(directory, schemaFile(kind, version)), schema);
      const recorded = draft?.kind === kind && draft.version === version ? undefined : shipped[kind]?.[version];
      shipped[kind] = {
        ...shipped[kind],
        [version]: { sha256: sha256Of(schema), jobs: recorded?.jobs ?? shippedJobs(definition, version) },
      };
    }
  }
  write(join(directory, LOCK_FILE), shipped);
}

const shippedJobs = (definition: AnyJobDefinition, version: number): ShippedJob[] =>
  examplesOf(definition, version).flatMap((payload) => {
    const identity = identityOf(definition, version, payload);
    return identity === undefined ? [] : [{ payload, ...identity }];
  });

function write(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, textOf(value));
}

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
