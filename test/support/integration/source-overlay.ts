import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DEFAULT_REGION, LOCAL_STAGE, repositoryRoot } from '../../../cli/aws/target.ts';
import { cdk } from '../../../cli/local/cdk.ts';
import { endpointUrl } from './deployment.ts';

/** What a synthesis is made from (cli/local/fingerprint.ts), and the dependencies as they are installed. */
const SOURCES = ['infra', 'functions', 'shared', 'cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json'];

/**
 * Synthesises the whole application from a copy of its sources in which one file is another.
 *
 * @returns a cloud assembly, as `cdk synth` writes it; gone with the test
 */
export async function synthesizeWith(file: string, change: (source: string) => string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'andal-next-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [sources, assembly] = [join(folder, 'sources'), join(folder, 'cdk.out')];
  mkdirSync(sources);
  for (const source of SOURCES) cpSync(join(repositoryRoot, source), join(sources, source), { recursive: true });
  symlinkSync(join(repositoryRoot, 'node_modules'), join(sources, 'node_modules'));
  writeFileSync(join(sources, file), change(readFileSync(join(sources, file), 'utf8')));
  const target = { stage: LOCAL_STAGE, region: DEFAULT_REGION, endpointUrl, profile: undefined };
  await cdk(['synth', '--quiet', '--context', `stage=${LOCAL_STAGE}`, '--output', assembly], target, { cwd: sources });
  return assembly;
}
