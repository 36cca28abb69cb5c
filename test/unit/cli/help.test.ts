import { spawnSync } from 'node:child_process';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../cli/program.ts';
import { forEachCommand } from '../../../cli/run-program.ts';

const root = new URL('../../../', import.meta.url).pathname;

/** Words to type for each command that does something. */
function leaves(): [words: string, command: Command][] {
  const found: [string, Command][] = [];
  forEachCommand(createProgram(), (command) => {
    const names: string[] = [];
    for (let at = command; at.parent !== null; at = at.parent) names.unshift(at.name());
    if (command.commands.length === 0) found.push([names.join(' '), command]);
  });
  return found;
}

const helpOf = (command: Command): string => {
  let text = '';
  command.configureOutput({ writeOut: (written) => (text += written) });
  command.outputHelp();
  return text;
};

describe('the help of', () => {
  it.each(leaves())('%s says what it does and shows how it is typed', (words, command) => {
    const text = helpOf(command);
    expect(command.description().length).toBeGreaterThan(15);
    expect(text).toMatch(/Examples?:\n/);
    expect(text).toContain(`andal -- ${words}`);
  });

  it.each(['audit', 'status', 'explain', 'sweep', 'cache verify', 'tune', 'pause', 'resume'])('%s tells its exit codes', (words) => {
    const [, command] = leaves().find(([leaf]) => leaf === words) ?? [];
    expect(command && helpOf(command)).toContain('Exit codes: 0');
  });

  it.each([['--help'], ['cache', '--help'], ['sweep', '--help'], ['audit', '--help']])(
    '%s comes from the real program, with exit code 0',
    (...args) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['cli/andal.ts', ...args], { cwd: root, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain(`Usage: npm run andal -- ${args.slice(0, -1).join(' ')}`.trim());
    },
  );
});
