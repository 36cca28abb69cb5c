import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface CliAnswer {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The one document of a run with --json: its answer, or its error. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions look into documents of every command
  readonly json: any;
  /** Most memory it held at a time, in MB, as far as it was looked at; Linux only. */
  readonly peakMb: number;
}

export interface CliRun {
  readonly ended: Promise<CliAnswer>;
  kill(signal: NodeJS.Signals): void;
  /** What it has told a person so far. */
  told(): string;
}

const root = new URL('../../', import.meta.url).pathname;
const LOOK_EVERY_MS = 50;

/** The command line tool as a process of its own, without a terminal. */
export function startCli(args: readonly string[], env: NodeJS.ProcessEnv): CliRun {
  const child = spawn(process.execPath, ['cli/andal.ts', ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr, peakMb] = ['', '', 0];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const looking = setInterval(() => {
    peakMb = Math.max(peakMb, peakMemoryMb(child.pid));
  }, LOOK_EVERY_MS);
  const ended = new Promise<CliAnswer>((resolve) =>
    child.once('close', (code, signal) => {
      clearInterval(looking);
      resolve({ code, signal, stdout, stderr, json: parse(stdout) ?? parse(stderr), peakMb });
    }),
  );
  return { ended, kill: (signal) => void child.kill(signal), told: () => stderr };
}

function peakMemoryMb(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
