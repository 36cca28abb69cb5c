import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const INPUTS = ['infra/**/*.ts', 'functions/**/*.ts', 'shared/**/*.ts', 'cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** A hash of everything a deployment is made from; equal hashes mean an equal deployment. */
export function fingerprint(root: string): string {
  const hash = createHash('sha256');
  for (const file of globSync(INPUTS, { cwd: root }).sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}
