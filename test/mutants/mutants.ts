/**
 * `npm run mutants [-- --only <name>] [--jobs 2] [--json]`: every way to build the pipeline wrong is built, in memory, and has to be
 * noticed by a promise that names it, while the pipeline as it is stays unnoticed in the same run. Writes nothing into the tree.
 */

import process from 'node:process';
import { Command } from 'commander';
import { CliError, EXIT } from '../../cli/output/cli-error.ts';
import { printAnswer, printNote } from '../../cli/output/print.ts';
import { runProgram } from '../../cli/run-program.ts';
import { atLeastOne } from '../simulation/modes/arguments.ts';
import { mutants } from './list.ts';
import type { Mutant } from './mutant.ts';
import { reportOf } from './report.ts';
import { tryMutant, type Verdict } from './try-mutant.ts';

interface Options {
  readonly only?: string;
  readonly jobs: number;
  readonly json?: boolean;
}

const command = new Command('npm run mutants --')
  .description('Builds the pipeline wrong in every way there is, in memory, and sees that a promise notices.')
  .option('--only <part>', 'mutants whose name contains this')
  .option('--jobs <number>', 'mutants tried side by side', atLeastOne, 2)
  .option('--json', 'one JSON document on stdout')
  .action(async ({ only, jobs, json }: Options) => {
    const verdicts = await tryAll(mutantsCalled(only), jobs);
    printAnswer(json ?? false, verdicts, () => reportOf(verdicts).trimEnd());
    process.exitCode = verdicts.every(({ fault }) => fault === undefined) ? EXIT.ok : EXIT.failed;
  });

await runProgram(command);

function mutantsCalled(part = ''): readonly Mutant[] {
  const wanted = mutants.filter(({ name }) => name.includes(part));
  if (wanted.length > 0) return wanted;
  const names = mutants.map(({ name }) => name).join(' · ');
  throw new CliError(`No mutant's name contains "${part}"; there are: ${names}`, { exitCode: EXIT.nothingFound });
}

/** So many at a time, in the order of the list. */
async function tryAll(all: readonly Mutant[], jobs: number): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      const mutant = all[index] as Mutant;
      const verdict = await tryMutant(mutant);
      verdicts[index] = verdict;
      printNote(`${verdict.fault === undefined ? 'noticed' : 'NOT SO '} ${mutant.name}`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return verdicts;
}
