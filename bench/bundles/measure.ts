import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { bundleFunction } from '../../infra/constructs/bundle-function.ts';

export interface BundleSize {
  readonly name: string;
  /** Loaded by a cold start. */
  readonly startBytes: number;
  /** With what is loaded on first use. */
  readonly allBytes: number;
  /** What of the start comes from where, the largest first. */
  readonly from: readonly { readonly origin: string; readonly bytes: number }[];
}

const FUNCTIONS = fileURLToPath(new URL('../../functions', import.meta.url));

export const functionFolders = (): string[] => readdirSync(FUNCTIONS).sort();

/** Bundles every function as a deployment does. @param use what is done with each while its files are there */
export async function bundleAll<Result>(use: (folder: string, size: BundleSize) => Promise<Result> | Result): Promise<Result[]> {
  const results: Result[] = [];
  for (const name of functionFolders()) {
    const folder = mkdtempSync(join(tmpdir(), `andal-bundle-${name}-`));
    try {
      results.push(await use(folder, sizeOf(name, bundleFunction(join(FUNCTIONS, name), folder))));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return results;
}

function sizeOf(name: string, { outputs }: Metafile): BundleSize {
  const modules = Object.keys(outputs).filter((file) => file.endsWith('.mjs'));
  const entry = modules.find((file) => basename(file) === 'index.mjs') ?? '';
  const start = loadedBy(entry, outputs);
  const bytesOf = (files: readonly string[]): number => files.reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
  return {
    name,
    startBytes: bytesOf([...start]),
    allBytes: bytesOf(modules),
    from: originsOf([...start].flatMap((file) => outputs[file] ?? [])),
  };
}

function loadedBy(entry: string, outputs: Metafile['outputs']): Set<string> {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file) || outputs[file] === undefined) return;
    loaded.add(file);
    for (const { kind, path } of outputs[file].imports) if (kind === 'import-statement') load(path);
  };
  load(entry);
  return loaded;
}

function originsOf(outputs: readonly Metafile['outputs'][string][]): BundleSize['from'] {
  const bytes = new Map<string, number>();
  for (const { inputs } of outputs)
    for (const [path, { bytesInOutput }] of Object.entries(inputs))
      bytes.set(originOf(path), (bytes.get(originOf(path)) ?? 0) + bytesInOutput);
  return [...bytes].map(([origin, size]) => ({ origin, bytes: size })).sort((left, right) => right.bytes - left.bytes);
}

/** A package, or a folder of ours. */
function originOf(path: string): string {
  const packages = [...path.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)];
  return packages.at(-1)?.[1] ?? path.split('/').slice(0, 2).join('/');
}
