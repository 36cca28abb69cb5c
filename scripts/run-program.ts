import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

export interface ProgramResult {
  readonly exitCode: number;
  /** stdout and stderr as they came; empty when the program was live. */
  readonly output: string;
}

export interface ProgramOptions {
  readonly timeoutMs: number;
  readonly live: boolean;
  /** Ends the program early. */
  readonly signal: AbortSignal;
}

/** Time between asking a program to end and forcing it. */
const GRACE_MS = 20_000;

/**
 * Runs a program of this repository's toolchain in a process group of its own and ends the whole group with it, so that
 * nothing it started is left behind.
 *
 * Does not protect against a program that moves its children to another group; who does that has to end them.
 */
export function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  { timeoutMs, live, signal }: ProgramOptions,
): Promise<ProgramResult> {
  const sink = live ? 'inherit' : 'pipe';
  const child = spawn(program, args, { detached: true, stdio: ['ignore', sink, sink], env: environment() });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => output.push(text));

  const end = (reason: string): void => {
    output.push(`\n${program} was ended: ${reason}\n`);
    signalGroup(child.pid, 'SIGTERM');
    setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS).unref();
  };
  const timer = setTimeout(() => end(`it took longer than ${timeoutMs / 1000} s`), timeoutMs);
  const abort = (): void => end('the run was interrupted');
  signal.addEventListener('abort', abort, { once: true });

  return new Promise((resolve) => {
    const settle = (exitCode: number): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve({ exitCode, output: output.join('') });
    };
    child.once('error', (error) => {
      output.push(`${program} could not be started (${error.message}); run npm ci\n`);
      settle(1);
    });
    child.once('exit', (code) => {
      // What is left of the group would hold the streams open, and the answer back.
      signalGroup(child.pid, 'SIGKILL');
      child.once('close', () => settle(code ?? 1));
    });
  });
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // The group has ended by itself, which is what was wanted.
  }
}

function environment(): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), join(process.cwd(), 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter);
  const colour =
    process.stdout.isTTY && process.env['NO_COLOR'] === undefined ? { FORCE_COLOR: '1' } : { NO_COLOR: '1', FORCE_COLOR: undefined };
  return { ...process.env, ...colour, PATH: path };
}
