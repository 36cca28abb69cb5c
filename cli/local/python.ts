import { execFileSync } from 'node:child_process';
import { CliError } from '../output/cli-error.ts';

const MINIMUM = { major: 3, minor: 10 };
const CANDIDATES = ['python3', 'python', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
/** Prints the version, and fails where the distribution ships venv separately. */
const PROBE = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])';

export type Probe = (command: string) => string | undefined;

const probeByRunning: Probe = (command) => {
  try {
    return execFileSync(command, ['-c', PROBE], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
};

/** @returns the first Python on the PATH that can make the emulator's virtual environment. */
export function findPython(probe: Probe = probeByRunning): string {
  const found = CANDIDATES.map((command) => ({ command, version: probe(command) }));
  const usable = found.find(({ version }) => version !== undefined && isEnough(version));
  if (usable !== undefined) return usable.command;
  const seen = found.find(({ version }) => version !== undefined)?.version;
  throw new CliError(
    `The local emulator needs Python 3.10 or newer with venv, ${seen === undefined ? 'and none was found' : `but only ${seen} was found`}. ` +
      'Install it (`apt install python3 python3-venv`, `brew install python`), or use an emulator in Docker: compose.yaml says how.',
  );
}

function isEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > MINIMUM.major || (major === MINIMUM.major && minor >= MINIMUM.minor);
}
