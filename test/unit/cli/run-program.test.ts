import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CliError, EXIT } from '../../../cli/output/cli-error.ts';
import { runProgram } from '../../../cli/run-program.ts';

let said: string;
let answered: string;
beforeEach(() => {
  said = '';
  answered = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    answered += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

async function run(args: string[], act: () => void = () => {}): Promise<number | string | undefined> {
  const program = new Command('npm run andal --').option('--json');
  program.command('go').option('--far <km>').action(act);
  program.command('group').command('inner').argument('<name>');
  await runProgram(program, ['node', 'andal', ...args]);
  return process.exitCode ?? undefined;
}

const throwing = (error: unknown) => () => {
  throw error;
};

describe('the exit code', () => {
  it('is 0 for help, 2 for wrong usage', async () => {
    expect(await run(['--help'])).toBe(EXIT.ok);
    expect(await run(['go', '--nope'])).toBe(EXIT.usage);
    expect(await run(['nope'])).toBe(EXIT.usage);
  });

  it('is the one an error brings along, 1 for any other', async () => {
    expect(await run(['go'], throwing(new CliError('There is no such order.', { exitCode: EXIT.nothingFound })))).toBe(EXIT.nothingFound);
    expect(await run(['go'], throwing(new Error('boom')))).toBe(EXIT.failed);
  });
});

describe('what a person sees of an error', () => {
  it('is its sentence, without a stack trace', async () => {
    await run(['go'], throwing(new CliError('Port 4566 is taken.')));
    expect(said).toContain('Port 4566 is taken.');
    expect(said).not.toMatch(/\n\s+at /);
  });

  it('says what to do when nothing answers', async () => {
    await run(
      ['go'],
      throwing(Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })),
    );
    expect(said).toContain('npm run andal -- up');
    expect(said).not.toMatch(/\n\s+at /);
  });
});

describe('wrong usage', () => {
  it.each([
    [['go', '--nope'], 'npm run andal -- go --help'],
    [['go', '--far'], 'npm run andal -- go --help'],
    [['group', 'inner'], 'npm run andal -- group inner --help'],
    [['group', 'nope'], 'npm run andal -- group --help'],
    [['nope'], 'npm run andal -- --help'],
  ])('%j points to the help of the command that was meant', async (args, help) => {
    await run(args);
    expect(said).toContain(`(see \`${help}\`)`);
  });
});

describe('an error under --json', () => {
  it.each([
    [
      ['go', '--json'],
      new CliError('There is no such order.', { exitCode: EXIT.nothingFound }),
      'There is no such order.',
      'nothing-found',
      3,
    ],
    [['--json', 'go'], new Error('boom'), 'Error: boom', 'failed', 1],
    [['go', '--nope', '--json'], undefined, "unknown option '--nope' (see `npm run andal -- go --help`)", 'wrong-usage', 2],
    [['group', '--json'], undefined, 'name a command (see `npm run andal -- group --help`)', 'wrong-usage', 2],
  ])('%j is one document on stderr, and nothing on stdout', async (args, thrown, error, code, exitCode) => {
    expect(await run(args, thrown && throwing(thrown))).toBe(exitCode);
    expect(JSON.parse(said)).toEqual({ error, code, exitCode });
    expect(answered).toBe('');
  });

  it('is text where nobody asked for JSON', async () => {
    await run(['go', '--', '--json'], throwing(new CliError('Port 4566 is taken.')));
    expect(() => JSON.parse(said)).toThrow();
  });
});
