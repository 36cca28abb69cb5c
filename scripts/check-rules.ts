import { globSync, readFileSync } from 'node:fs';
import { houseFaults } from './house-rules.ts';

/** Prints every place that breaks a rule of the house, and fails when there is one. */
const sources = globSync(['**/*.{ts,mjs,md,json,yaml,yml,sh}', '.*.ts', '.ci/run'], {
  exclude: ['**/node_modules', '**/cdk.out', '**/.local', '**/coverage', '**/package-lock.json'],
});
/** Far below what the repository holds; fewer means that the patterns above no longer find it. */
const MINIMUM_FILES = 30;

const faults = sources.sort().flatMap((path) => houseFaults(path, readFileSync(path, 'utf8')));
if (sources.length < MINIMUM_FILES) faults.push(`only ${sources.length} files were read, at least ${MINIMUM_FILES} are expected`);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
