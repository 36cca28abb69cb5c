import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface CommandResult {
  readonly exitCode: number;
  /** The last lines of both streams, for an error message. */
  readonly tail: string;
}

const TAIL_LINES = 30;

/**
 * Runs a program to its end, line by line.
 * @param options.onOutput called with each line of stdout and stderr
 */
export function runCommand(
  command: string,
  args: readonly string[],
  { env, cwd, onOutput }: { env?: NodeJS.ProcessEnv; cwd?: string; onOutput?: (line: string) => void } = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: env ?? process.env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const tail: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        if (line.trim() === '') return;
        tail.push(line);
        if (tail.length > TAIL_LINES) tail.shift();
        onOutput?.(line);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? 1, tail: tail.join('\n') }));
  });
}
