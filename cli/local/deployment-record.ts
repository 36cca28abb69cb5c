import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * What was deployed where, so that a second deployment of the same sources costs nothing. Stack ids and their times are
 * part of it: after a restart of the emulator, or a deployment from elsewhere, the record no longer matches.
 */
export interface DeploymentRecord {
  readonly fingerprint: string;
  readonly stacks: readonly string[];
}

/** What CloudFormation says of a stack. */
interface DeployedStack {
  readonly StackId?: string | undefined;
  readonly LastUpdatedTime?: Date | undefined;
  readonly CreationTime?: Date | undefined;
}

export const recordOf = (fingerprint: string, stacks: readonly DeployedStack[]): DeploymentRecord => ({
  fingerprint,
  stacks: stacks.map((stack) => `${stack.StackId} ${(stack.LastUpdatedTime ?? stack.CreationTime)?.toISOString() ?? ''}`).sort(),
});

export const sameRecord = (left: DeploymentRecord | undefined, right: DeploymentRecord): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

const fileFor = (stateDirectory: string, endpointUrl: string): string =>
  join(stateDirectory, `deployed-${new URL(endpointUrl).host.replace(/[^a-z0-9]+/gi, '-')}.json`);

export function readRecord(stateDirectory: string, endpointUrl: string): DeploymentRecord | undefined {
  try {
    return JSON.parse(readFileSync(fileFor(stateDirectory, endpointUrl), 'utf8')) as DeploymentRecord;
  } catch {
    return undefined;
  }
}

export function writeRecord(stateDirectory: string, endpointUrl: string, record: DeploymentRecord): void {
  const file = fileFor(stateDirectory, endpointUrl);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
  forgetOldRecords(stateDirectory);
}

/** The deployment is gone, as it is when its emulator stops. */
export function forgetRecord(stateDirectory: string, endpointUrl: string): void {
  rmSync(fileFor(stateDirectory, endpointUrl), { force: true });
}

/** More emulators than this nobody uses in turn; a forgotten record costs one deployment that changes nothing. */
const KEPT_RECORDS = 5;

function forgetOldRecords(stateDirectory: string): void {
  const files = readdirSync(stateDirectory)
    .filter((name) => /^deployed-.*\.json$/.test(name))
    .map((name) => join(stateDirectory, name))
    .map((file) => ({ file, writtenAtMs: statSync(file).mtimeMs }))
    .sort((left, right) => right.writtenAtMs - left.writtenAtMs);
  for (const { file } of files.slice(KEPT_RECORDS)) rmSync(file, { force: true });
}
