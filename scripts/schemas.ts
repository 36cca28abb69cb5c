import './require-node.mjs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { jobs } from '#shared/jobs/index.ts';
import { breakingChanges, outOfDate } from './schema-faults.ts';
import { writeSchemas } from './shipped-schemas.ts';

/**
 * `npm run schemas` writes docs/schemas from the job kinds and refuses what would break code or messages that have shipped;
 * `--check` only looks. `--redraft <kind>@<version>` records a version anew that nobody has deployed.
 */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false }, redraft: { type: 'string' } } });
const directory = join(import.meta.dirname, '..', 'docs', 'schemas');

function readDraft(text: string | undefined): { kind: string; version: number } | undefined {
  if (text === undefined) return undefined;
  const [kind = '', version = ''] = text.split('@');
  const definition = jobs.find((one) => one.kind === kind);
  if (definition === undefined || Number(version) !== definition.version)
    throw new RangeError(`--redraft takes a kind and the version it writes, such as ${jobs[0]?.kind}@${jobs[0]?.version}`);
  return { kind, version: definition.version };
}

const draft = readDraft(values.redraft);
const broken = breakingChanges(directory, jobs, draft);
if (broken.length === 0 && !values.check) writeSchemas(directory, jobs, draft);
const faults = broken.length > 0 ? broken : outOfDate(directory, jobs);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
