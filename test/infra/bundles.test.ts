import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { resourcesOf, synthesize } from './synthesize.ts';

// B87
/** Far above what any bundle needs; catches a second SDK or a tool pulled in by mistake. */
const MAX_BUNDLE_BYTES = 1_000_000;
const { all, directory } = synthesize('local', { bundle: true });
/** What `cdk deploy` uploads, somewhere without a node_modules above it. */
const uploaded = mkdtempSync(join(tmpdir(), 'andal-bundles-'));
afterAll(() => {
  for (const path of [uploaded, directory]) rmSync(path, { recursive: true, force: true });
});

interface Bundle {
  readonly name: string;
  readonly folder: string;
  readonly environment: Record<string, string>;
}

const dummyOf = (variable: string): string =>
  ['QUEUE_URLS', 'MAPPING_IDS'].includes(variable) ? '{}' : variable.endsWith('_URL') ? 'http://127.0.0.1:1/x' : 'dummy';

const bundles: Bundle[] = all
  .flatMap((template) => resourcesOf(template, 'AWS::Lambda::Function'))
  .map(([name, { Properties }]) => {
    const asset = `asset.${(Properties['Code'].S3Key as string).replace('.zip', '')}`;
    const variables = Object.entries(Properties['Environment'].Variables as Record<string, unknown>);
    const environment = Object.fromEntries(variables.map(([key, value]) => [key, typeof value === 'string' ? value : dummyOf(key)]));
    const folder = join(uploaded, name);
    cpSync(join(directory, asset), folder, { recursive: true });
    return { name, folder, environment };
  });

function load(folder: string, environment: Record<string, string>) {
  const script = `const { handler } = await import(${JSON.stringify(join(folder, 'index.mjs'))}); console.log(typeof handler);`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: folder,
    env: { AWS_REGION: 'us-east-1', AWS_LAMBDA_FUNCTION_NAME: 'bundle', ...environment },
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, stdout: stdout.trim(), stderr };
}

describe.each(bundles.map((bundle) => [bundle.name, bundle] as const))('the bundle of %s', (_name, { folder, environment }) => {
  it('loads in plain Node without a single package beside it', () => {
    const { stdout, stderr, status } = load(folder, environment);
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: 'function' });
  });

  it('refuses to start without its environment, in a stack that names lines of TypeScript', () => {
    const { status, stderr } = load(folder, { NODE_OPTIONS: environment['NODE_OPTIONS']! });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/environment/i);
    expect(stderr).toMatch(/functions\/[\w-]+\/index\.ts:\d+:\d+/);
  });

  it('is a module, chunks for what is loaded on first use, their maps and nothing else', () => {
    const files = readdirSync(folder).sort();
    const modules = files.filter((file) => file.endsWith('.mjs'));
    expect(modules.filter((file) => !/^chunk-[A-Z0-9]{8}\.mjs$/.test(file))).toEqual(['index.mjs']);
    expect(files).toEqual(modules.flatMap((file) => [file, `${file}.map`]).sort());
    for (const file of modules) expect(JSON.parse(readFileSync(join(folder, `${file}.map`), 'utf8')).sourcesContent).toBeUndefined();
    expect(modules.reduce((bytes, file) => bytes + statSync(join(folder, file)).size, 0)).toBeLessThan(MAX_BUNDLE_BYTES);
  });
});
