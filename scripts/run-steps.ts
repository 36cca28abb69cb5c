import { type Counts, countStep, countTests, sum } from './count-tests.ts';
import { type ProgramResult, runProgram } from './run-program.ts';
import type { Step } from './step.ts';

/**
 * Runs all steps, even after one has failed, and prints a line for each; what a failed one said follows its line.
 * @param options.concurrency how many run at a time
 */
export async function runSteps(
  steps: readonly Step[],
  { concurrency, signal }: { concurrency: number; signal: AbortSignal },
): Promise<Counts> {
  const waiting = [...steps];
  const counts: Counts[] = [];
  const worker = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) counts.push(await runStep(step, signal));
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return sum(counts);
}

async function runStep(step: Step, signal: AbortSignal): Promise<Counts> {
  if (signal.aborted) return countStep(1);
  const startedAtMs = Date.now();
  const result = await runProgram(step.command, { timeoutMs: step.timeoutMs, live: step.live ?? false, signal });
  const counts = step.reportFile === undefined ? countStep(result.exitCode) : countTests(step.reportFile, result.exitCode);
  console.log(line(step, counts, Date.now() - startedAtMs));
  if (counts.failed > 0) console.log(indented(result));
  else if (step.saysLast === true) console.log(indented({ output: result.output.trim().split('\n').at(-1) ?? '' }));
  return counts;
}

function line({ name, reportFile }: Step, { passed, failed }: Counts, tookMs: number): string {
  const mark = failed === 0 ? '✓' : '✗';
  const detail = reportFile === undefined ? '' : failed === 0 ? `  ${passed} passed` : `  ${passed} passed, ${failed} failed`;
  return `${mark} ${name.padEnd(18)} ${(tookMs / 1000).toFixed(1).padStart(6)} s${detail}`;
}

const indented = ({ output }: Pick<ProgramResult, 'output'>): string =>
  output
    .trim()
    .split('\n')
    .map((text) => `    ${text}`)
    .join('\n');
