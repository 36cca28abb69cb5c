import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** The command line of a living process; undefined when there is none or only its corpse is left. */
export function commandOf(pid: number): string | undefined {
  try {
    const [state = '', ...command] = execFileSync('ps', ['-o', 'stat=,args=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : command.join(' ');
  } catch {
    return undefined;
  }
}

/** Pids of processes whose command line contains the text, the caller's own left out. */
export function pidsMatching(text: string): number[] {
  try {
    const lines = execFileSync('pgrep', ['-f', '--', text], { encoding: 'utf8' }).trim().split('\n');
    return lines.map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  } catch {
    return [];
  }
}

/** The process that started another one; undefined when that is gone. */
export function parentOf(pid: number): number | undefined {
  try {
    return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }).trim()) || undefined;
  } catch {
    return undefined;
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone, which is what was wanted.
  }
}

/** Ends a process group and waits until its leader is gone: asked first, forced after `graceMs`. */
export async function stopGroup(pid: number, { graceMs = 5_000 } = {}): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  if (!(await goneWithin(pid, graceMs))) {
    signalGroup(pid, 'SIGKILL');
    await goneWithin(pid, graceMs);
  }
  // Workers may outlive their leader; the group still exists as long as one does.
  signalGroup(pid, 'SIGKILL');
}

async function goneWithin(pid: number, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline) {
    if (commandOf(pid) === undefined) return true;
    await sleep(50);
  }
  return commandOf(pid) === undefined;
}
