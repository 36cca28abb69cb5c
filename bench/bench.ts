import { Argument, Command, Option } from 'commander';
import { wholeNumber } from '../cli/commands/whole-number.ts';
import { printAnswer, printNote } from '../cli/output/print.ts';
import { formatTable } from '../cli/output/table.ts';
import { runProgram } from '../cli/run-program.ts';
import { PARTS } from './parts.ts';
import { writeDocument } from './report/document.ts';
import type { PartReport } from './report/part.ts';
import { describeMachine, type PartResult, readResults, writeResults } from './report/results.ts';

interface BenchOptions {
  readonly json?: true;
  readonly write: boolean;
  readonly record?: true;
  readonly runs: number;
  readonly sizes: readonly number[];
}

const SIZES = [1_000, 10_000, 100_000];
const RUNS = 5;

const program = new Command('npm run bench --')
  .description('Measures what a job costs and how fast it runs, prints it, and writes docs/performance.md.')
  .addArgument(new Argument('[parts...]', 'what to measure; left out: all of it').choices(Object.keys(PARTS)))
  .option('--json', 'answer with one JSON document')
  .option('--no-write', 'leave docs/performance.md as it is')
  .option('--record', 'write down counts and bytes that tests compare with')
  .addOption(
    new Option('--runs <number>', 'how often what takes time is measured')
      .argParser(wholeNumber('Give a number of runs, for example 5.', { min: 1, max: 100 }))
      .default(RUNS),
  )
  .addOption(new Option('--sizes <numbers>', 'numbers of jobs to look for growth with').argParser(sizesIn).default(SIZES, SIZES.join(',')))
  .addHelpText(
    'after',
    `
Counts and bytes are exact. Everything else needs a machine on which nothing else runs.

Examples:
  npm run bench
  npm run bench -- counts money
  npm run bench -- bundles --record
  npm run bench -- growth --sizes 1000,10000 --no-write`,
  )
  .action(async (names: readonly string[], options: BenchOptions) => {
    const chosen = names.length === 0 ? Object.keys(PARTS) : [...new Set(names)];
    const results: Record<string, PartResult> = {};
    for (const name of chosen) {
      printNote(`${name} …`);
      results[name] = await resultOf(name, options);
    }
    if (options.write) {
      const all = { ...readResults(), ...results };
      writeResults(all);
      writeDocument(PARTS, all);
    }
    printAnswer(options.json === true, results, () =>
      Object.values(results)
        .map(({ report }) => formatReport(report))
        .join('\n\n'),
    );
  });

async function resultOf(name: string, { runs, record, sizes }: BenchOptions): Promise<PartResult> {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`the bench has no part ${name}`);
  const report = await part.run({ runs, record: record === true, sizes: [...sizes], say: (line) => printNote(`  ${line}`) });
  return { report, at: new Date().toISOString(), command: `npm run bench -- ${name}`, machine: describeMachine() };
}

function formatReport({ budgets, tables }: PartReport): string {
  const judged = budgets.map(({ what, budget, measured, kept }) => [what, budget, measured, kept ? 'yes' : 'NO']);
  return [
    ...(judged.length === 0 ? [] : [formatTable(['Budget', 'At most, at least', 'Measured', 'Kept'], judged)]),
    ...tables.map(({ title, head, rows }) => `${title}\n${formatTable(head, rows)}`),
  ].join('\n\n');
}

function sizesIn(text: string): number[] {
  const read = wholeNumber('Give numbers of jobs, for example 1000,10000.', { min: 1, max: 10_000_000 });
  return text.split(',').map(read);
}

await runProgram(program);
