import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DEFAULT_REGION, LOCAL_STAGE } from '../../../cli/aws/target.ts';
import { cdk } from '../../../cli/local/cdk.ts';
import { TEST_STATE_DIRECTORY } from '../../../scripts/test-emulator.ts';
import { endpointUrl } from './deployment.ts';

/** What all functions were deployed from. */
export const deployedAssembly = join(TEST_STATE_DIRECTORY, 'cdk.out');
const BUNDLE = 'index.mjs';

export interface Release {
  /** A cloud assembly, as `cdk synth` writes it. */
  readonly assembly: string;
  /** Every worker of this release writes it into its log when it starts. */
  readonly marker: string;
}

/**
 * What is deployed, with other code in every bundle. Assets go by the hash of their content, so each gets another name, and so do
 * the templates that name them.
 *
 * @throws Error when the last synthesis was for another emulator: its templates name that one
 */
export function nextRelease(marker: string): Release {
  const assembly = mkdtempSync(join(tmpdir(), 'andal-release-'));
  onTestFinished(() => rmSync(assembly, { recursive: true, force: true }));
  cpSync(deployedAssembly, assembly, { recursive: true });
  const manifests = readdirSync(assembly).filter((name) => name.endsWith('.json'));
  if (!manifests.some((name) => readFileSync(join(assembly, name), 'utf8').includes(endpointUrl)))
    throw new Error(`${deployedAssembly} was made for another emulator than ${endpointUrl}; delete ${TEST_STATE_DIRECTORY} and run again`);
  const renamed = new Map(manifests.flatMap((name) => assetsOf(join(assembly, name))).map((hash) => [hash, hashOf(hash + marker)]));
  for (const name of manifests) rewrite(join(assembly, name), (text) => exchange(text, renamed));
  for (const [hash, renamedTo] of renamed) markBundle(assembly, hash, renamedTo, marker);
  return { assembly, marker };
}

/** By CloudFormation, as any deployment. */
export const deployRelease = ({ assembly }: Pick<Release, 'assembly'>): Promise<void> =>
  cdk(['deploy', '--all', '--require-approval', 'never', '--app', assembly], {
    stage: LOCAL_STAGE,
    region: DEFAULT_REGION,
    endpointUrl,
    profile: undefined,
  });

function assetsOf(manifest: string): string[] {
  if (!manifest.endsWith('.assets.json')) return [];
  return Object.keys((JSON.parse(readFileSync(manifest, 'utf8')) as { files: object }).files);
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const exchange = (text: string, renamed: ReadonlyMap<string, string>): string =>
  text.replace(/[0-9a-f]{64}/g, (hash) => renamed.get(hash) ?? hash);

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

function markBundle(assembly: string, hash: string, renamedTo: string, marker: string): void {
  const folder = join(assembly, `asset.${hash}`);
  if (!readdirSync(assembly).includes(`asset.${hash}`)) return;
  rewrite(join(folder, BUNDLE), (code) => `console.log(${JSON.stringify(JSON.stringify({ message: 'release', marker }))});\n${code}`);
  renameSync(folder, join(assembly, `asset.${renamedTo}`));
}
