import { readFileSync } from 'node:fs';
import { defaultStateDirectory } from '../aws/target.ts';
import { parentOf, pidsMatching } from './processes.ts';
import { runningEmulator } from './running-emulator.ts';

/**
 * Processes in which the emulator at this endpoint runs a function. Function names are the same in every emulator, so a
 * process counts only when it is known to belong to this one: by its parent, or by the endpoint in its environment.
 *
 * Does not protect against an emulator in a container: its processes are not seen, and none is returned.
 */
export function functionWorkers(functionName: string, endpointUrl: string, stateDirectory = defaultStateDirectory): number[] {
  const own = runningEmulator(stateDirectory);
  const emulatorPid = own?.endpointUrl === endpointUrl ? own.pid : undefined;
  return pidsMatching(`ministack-lambda-${functionName}-`).filter((pid) =>
    emulatorPid === undefined ? servesEndpoint(pid, endpointUrl) : parentOf(pid) === emulatorPid,
  );
}

/** Linux tells the environment of a process; elsewhere a foreign emulator's workers stay untouched. */
function servesEndpoint(pid: number, endpointUrl: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .includes(`GATEWAY_PORT=${new URL(endpointUrl).port}`);
  } catch {
    return false;
  }
}
