import { execFileSync } from 'node:child_process';
import { endpointUrl } from './deployment.ts';

/** Processes that run a function of this deployment right now. Other emulators on the machine may run functions of the same name. */
export const workerPids = (functionName: string): number[] => pidsOf(`ministack-lambda-${functionName}-`).filter(belongsToThisEmulator);

/** As sudden as a crash of the machine below it: no handler of the process gets to know. */
export function killAtOnce(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

function pidsOf(text: string): number[] {
  return run('pgrep', ['-f', '--', text])
    .trim()
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
}

/** Every worker is told its emulator's address; the host may be spelled in several ways, the port in one. */
const belongsToThisEmulator = (pid: number): boolean => ownAddress.test(run('ps', ['eww', '-o', 'command=', String(pid)]));
const ownAddress = new RegExp(`AWS_ENDPOINT_URL=http://[^ :]+:${new URL(endpointUrl).port}(?: |$)`);

function run(command: string, args: readonly string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
