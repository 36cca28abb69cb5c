import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SCRIPT = (entry: string): string =>
  `const startedMs = performance.now(); await import(${JSON.stringify(pathToFileURL(entry).href)}); console.log(performance.now() - startedMs);`;

/** Milliseconds from nothing loaded to a handler that is wired, each time in a process of its own; sorted. */
export function importTimes(
  folder: string,
  { environment, times }: { environment: Readonly<Record<string, string>>; times: number },
): number[] {
  return Array.from({ length: times }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', SCRIPT(join(folder, 'index.mjs'))], {
      env: { ...LAMBDA, ...environment },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`a bundle did not load: ${stderr}`);
    return Number(stdout);
  }).sort((left, right) => left - right);
}

/** What Lambda gives every function, and the templates. */
const LAMBDA = {
  AWS_REGION: 'us-east-1',
  AWS_LAMBDA_FUNCTION_NAME: 'bench',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  NODE_OPTIONS: '--enable-source-maps',
};
