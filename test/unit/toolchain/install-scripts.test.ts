import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Package {
  readonly version?: string;
  readonly integrity?: string;
  /** It came inside another package, whose checksum covers it. */
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
}

const lock: Record<string, Package> = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
const { allowScripts, dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const installed = Object.entries(lock).filter(([path]) => path !== '');

describe('what an installation runs and takes', () => {
  it('is the scripts of four tools, each allowed by name; another one is a decision', () => {
    const withScripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(withScripts.map(([path]) => path.replace('node_modules/', '')).sort()).toEqual([
      '@swc/core',
      'classic-level',
      'esbuild',
      'node',
    ]);
    expect(Object.keys(allowScripts).sort()).toEqual(withScripts.map(([path]) => path.replace('node_modules/', '')).sort());
  });

  it('includes no script of anything that is deployed', () => {
    for (const [path, { hasInstallScript, dev }] of installed) if (hasInstallScript === true) expect(dev, path).toBe(true);
  });

  it('has the checksum that was written down for each package', () => {
    for (const [path, { integrity, inBundle }] of installed) if (inBundle !== true) expect(integrity, path).toMatch(/^sha512-/);
  });

  it('is named to the last digit', () => {
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
