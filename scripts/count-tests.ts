import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** The part of vitest's JSON report that is counted. */
const reportSchema = z.object({
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});

/**
 * A run that ended badly never counts as free of failures: a file that could not be loaded, an error outside of a test
 * and a run without any test count as one each.
 *
 * @param reportFile vitest's JSON report; missing when the run was ended early
 */
export function countTests(reportFile: string, exitCode: number): Counts {
  const files = existsSync(reportFile) ? reportSchema.parse(JSON.parse(readFileSync(reportFile, 'utf8'))).testResults : [];
  const results = files.flatMap((file) => file.assertionResults);
  const brokenFiles = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(isFailed)).length;
  const passed = results.filter((result) => result.status === 'passed').length;
  const failed = results.filter(isFailed).length + brokenFiles;
  const endedBadly = exitCode !== 0 || passed === 0;
  return { passed, failed: failed === 0 && endedBadly ? 1 : failed };
}

const isFailed = ({ status }: { status: string }): boolean => status === 'failed';

export const countStep = (exitCode: number): Counts => (exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });

export const sum = (counts: readonly Counts[]): Counts => ({
  passed: counts.reduce((total, { passed }) => total + passed, 0),
  failed: counts.reduce((total, { failed }) => total + failed, 0),
});
