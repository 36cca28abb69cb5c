import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultStateDirectory } from '../aws/target.ts';
import { CliError } from '../output/cli-error.ts';
import { findPython } from './python.ts';
import { runCommand } from './run-command.ts';

const requirementsFile = fileURLToPath(new URL('./ministack-requirements.txt', import.meta.url));

/**
 * Installs the pinned MiniStack into a virtual environment that all emulators of this repository share; at once when it is there.
 * @returns the program that starts it
 */
export async function installMinistack(onOutput?: (line: string) => void): Promise<string> {
  const venv = join(defaultStateDirectory, 'ministack');
  const program = join(venv, 'bin', 'ministack');
  // Written last, so that an interrupted installation is made again and not believed.
  const marker = join(venv, 'installed-requirements.txt');
  const requirements = readFileSync(requirementsFile, 'utf8');
  if (existsSync(program) && existsSync(marker) && readFileSync(marker, 'utf8') === requirements) return program;

  rmSync(venv, { recursive: true, force: true });
  await step(findPython(), ['-m', 'venv', venv], onOutput);
  await step(join(venv, 'bin', 'python'), ['-m', 'pip', 'install', '--disable-pip-version-check', '-r', requirementsFile], onOutput);
  writeFileSync(marker, requirements);
  return program;
}

async function step(command: string, args: readonly string[], onOutput?: (line: string) => void): Promise<void> {
  const { exitCode, tail } = await runCommand(command, args, onOutput === undefined ? {} : { onOutput });
  if (exitCode === 0) return;
  throw new CliError(
    `MiniStack could not be installed from PyPI (\`${[command, ...args].join(' ')}\` ended with ${exitCode}). Check the network and pip's settings, then try again.\n${tail}`,
  );
}
