import type { Command } from 'commander';
import { parseDuration } from '../../dead-letters/duration.ts';
import { wholeNumber } from '../whole-number.ts';
import { type FilterOptions, withFilterOptions } from './filter-options.ts';

/** What every command that changes letters takes. */
export interface ActOptions extends FilterOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly rate?: number;
  readonly max?: number;
  readonly canary?: boolean;
  readonly canaryWait?: number;
  readonly yes?: boolean;
}

/** Written as `50/s`, because a bare number could be a minute's. */
export function parseRate(text: string): number {
  return rate(text.replace(/\/s$/, ''));
}

const rate = wholeNumber('A rate is a whole number of letters a second from 1 to 10000: 50/s.', { min: 1, max: 10_000 });
const parseMax = wholeNumber('The most letters is a whole number from 1 to 1000000, in plain digits.', { min: 1, max: 1_000_000 });

export const withActOptions = (command: Command): Command =>
  withFilterOptions(command)
    .option('--all', 'every letter of every dead-letter queue')
    .option('--dry-run', 'show what would be done with which letters, and do nothing')
    .option('--rate <number>', 'at most so many letters a second: 50/s', parseRate)
    .option('--max <number>', 'at most so many letters', parseMax)
    .option('--yes', 'do not ask before acting on more than one letter');

export const parseCanaryWait = parseDuration;
