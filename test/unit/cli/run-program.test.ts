import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CliError, EXIT } from '../../../cli/output/cli-error.ts';
import { runProgram } from '../../../cli/run-program.ts';

let said: string;
beforeEach(() => {
  said = '';
  const hear = (text: string | Uint8Array): boolean => {
    said += String(text);
    return true;
  };
  vi.spyOn(process.stderr, 'write').mockImplementation(hear);
  vi.spyOn(process.stdout, 'write').mockImplementation(hear);
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

async function run(args: string[], act: () => void = () => {}): Promise<number | string | undefined> {
  const program = new Command('andal');
  program.command('go').option('--json').action(act);
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
