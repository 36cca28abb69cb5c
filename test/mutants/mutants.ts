/**
 * `npm run mutants [-- --only <name>] [--jobs 2] [--json]`: every way to build the pipeline wrong is built, in memory, and has to be
 * noticed by a promise that names it, while the pipeline as it is stays unnoticed in the same run. Writes nothing into the tree.
 */

import process from 'node:process';
import { parseArgs } from 'node:util';
import { mutants } from './list.ts';
import type { Mutant } from './mutant.ts';
import { reportOf } from './report.ts';
import { tryMutant, type Verdict } from './try-mutant.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
});

const wanted = values.only === undefined ? mutants : mutants.filter(({ name }) => name.includes(values.only ?? ''));
if (wanted.length === 0) {
  process.stderr.write(`no mutant's name contains "${values.only}"; there are: ${mutants.map(({ name }) => name).join(' · ')}\n`);
  process.exit(2);
}

const verdicts = await tryAll(wanted, Math.max(1, Number(values.jobs) || 1));
const failed = verdicts.filter(({ fault }) => fault !== undefined);
process.stdout.write(values.json ? `${JSON.stringify(verdicts, undefined, 2)}\n` : reportOf(verdicts));
process.exitCode = failed.length === 0 ? 0 : 1;

/** So many at a time, in the order of the list. */
async function tryAll(all: readonly Mutant[], jobs: number): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      const mutant = all[index] as Mutant;
      const verdict = await tryMutant(mutant);
      verdicts[index] = verdict;
      process.stderr.write(`${verdict.fault === undefined ? 'noticed' : 'NOT SO '} ${mutant.name}\n`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return verdicts;
}
