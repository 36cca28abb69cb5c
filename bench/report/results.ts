import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { PartReport } from './part.ts';

/** One part's report, and where and when it was made. */
export interface PartResult {
  readonly report: PartReport;
  readonly at: string;
  readonly command: string;
  readonly machine: string;
}

export type Results = Readonly<Record<string, PartResult>>;

const FILE = new URL('../../docs/performance.json', import.meta.url);

export const readResults = (): Results => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {});

export const writeResults = (results: Results): void => writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);

export const describeMachine = (): string => {
  const all = cpus();
  return `${all.length} × ${all[0]?.model.trim() ?? 'processor'}, Node ${process.versions.node}`;
};
