import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../cli/program.ts';
import { forEachCommand } from '../../../cli/run-program.ts';

const root = new URL('../../../', import.meta.url).pathname;
const filesBelow = (folder: string, extension: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .map((name) => join(folder, name));

/** Every command a text tells its reader to type, with what the reader has to fill in filled in. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/npm run andal -- ([^`#\n·…'\\]*)/g)]
    .map(([, args = '']) => args)
    .map((args) =>
      args
        .replace(/\$\{name\}/g, 'u-1/o-1')
        .replace(/\$\{kind\}|<kind>/g, 'capture-payment')
        .replace(/\$\{[^}]*\}/g, 'x')
        .replace(/<(?:userId|orderId)>/g, 'id')
        .replace(/[.;,:]?\s*$/, ''),
    );

const helpOf = (program: Command): string => {
  let text = '';
  forEachCommand(program, (command) => {
    command.configureOutput({ writeOut: (written) => (text += written) });
    command.outputHelp();
  });
  return text;
};

/** Parsed by the real program, whose commands do nothing. @returns what commander says against it */
function complaintAbout(args: string): string | undefined {
  const program = createProgram();
  let complaint: string | undefined;
  let hasRun = false;
  forEachCommand(program, (command) => {
    command.exitOverride().configureOutput({ writeErr: (text) => (complaint ??= text.trim()), writeOut: () => {} });
    const run = (): void => {
      hasRun = true;
    };
    if (command.commands.length === 0) command.action(run);
  });
  try {
    program.parse(args.split(/\s+/).filter(Boolean), { from: 'user' });
  } catch (error) {
    complaint ??= (error as { code: string }).code === 'commander.helpDisplayed' ? undefined : String(error);
    return complaint;
  }
  return complaint ?? (hasRun ? undefined : 'no command was named');
}

const texts: [where: string, text: string][] = [
  ...['README.md', 'CONTRIBUTING.md', ...filesBelow('docs', '.md'), ...filesBelow('cli', '.ts')].map((file): [string, string] => [
    file,
    readFileSync(join(root, file), 'utf8'),
  ]),
  ['the help texts', helpOf(createProgram()).replaceAll(/^Usage: .*$/gm, '')],
];
const commands = texts.flatMap(([where, text]) => commandsIn(text).map((args): [string, string] => [args, where]));

describe('a command the documents name', () => {
  it('is looked for where there are some', () => {
    expect(new Set(commands.map(([, where]) => where))).toContain('README.md');
    expect(commands.length).toBeGreaterThan(20);
  });

  it.each(commands.filter(([args]) => args !== '' && args !== '--help'))('parses: npm run andal -- %s (%s)', (args) => {
    expect(complaintAbout(args)).toBeUndefined();
  });

  it.each([
    ['orders create --user u-1', "unknown option '--user'"],
    ['orders create', "missing required argument 'userId'"],
    ['orders', 'Usage:'],
    ['undo', "unknown command 'undo'"],
    ['explain u-1', '<userId>/<orderId>'],
  ])('would be caught if it were: npm run andal -- %s', (args, complaint) => {
    expect(complaintAbout(args)).toContain(complaint);
  });
});
