import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { commandOf } from './processes.ts';

const recordSchema = z.object({
  pid: z.int().positive(),
  port: z.int().positive(),
  endpointUrl: z.url(),
  workDirectory: z.string(),
  enforcesIam: z.boolean().default(false),
});
export type EmulatorRecord = z.infer<typeof recordSchema>;

const fileIn = (stateDirectory: string): string => join(stateDirectory, 'emulator.json');

export function rememberEmulator(stateDirectory: string, record: z.input<typeof recordSchema>): void {
  writeFileSync(fileIn(stateDirectory), `${JSON.stringify(record, null, 2)}\n`);
}

export function forgetEmulator(stateDirectory: string): void {
  rmSync(fileIn(stateDirectory), { force: true });
}

/** The emulator started from this directory, if it still runs. A pid that now belongs to another program is not it. */
export function runningEmulator(stateDirectory: string): EmulatorRecord | undefined {
  const record = readEmulatorRecord(stateDirectory);
  if (record === undefined) return undefined;
  return commandOf(record.pid)?.includes('ministack') ? record : undefined;
}

/** What was written at the last start, whether or not that emulator still runs. */
export function readEmulatorRecord(stateDirectory: string): EmulatorRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(fileIn(stateDirectory), 'utf8')));
  } catch {
    return undefined;
  }
}
