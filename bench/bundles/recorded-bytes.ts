import { readFileSync, writeFileSync } from 'node:fs';
import type { BundleSize } from './measure.ts';

const FILE = new URL('../../test/budgets/bundle-bytes.json', import.meta.url);

export type RecordedBytes = Readonly<Record<string, Pick<BundleSize, 'startBytes' | 'allBytes'>>>;

/** More than this over what is recorded is no accident of minifying. */
export const MOST_GROWTH = 0.05;

export const readBytes = (): RecordedBytes => JSON.parse(readFileSync(FILE, 'utf8'));

export const writeBytes = (sizes: readonly BundleSize[]): void =>
  writeFileSync(
    FILE,
    `${JSON.stringify(Object.fromEntries(sizes.map(({ name, startBytes, allBytes }) => [name, { startBytes, allBytes }])), null, 2)}\n`,
  );
