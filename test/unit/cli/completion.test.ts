import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { JOB_KINDS } from '../../../cli/commands/job-kind.ts';
import { completionScript, SHELLS } from '../../../cli/completion/scripts.ts';
import { completionPoints } from '../../../cli/completion/words.ts';
import { createProgram } from '../../../cli/program.ts';
import { forEachCommand } from '../../../cli/run-program.ts';

const program = createProgram();
const points = completionPoints(program, { kind: JOB_KINDS });
const ROOT = "/home/me/it's here";

/** What bash offers after these words. */
function offered(...words: string[]): string[] {
  const typed = words.map((word) => `'${word}'`).join(' ');
  const script = `${completionScript('bash', points, ROOT)}\nCOMP_WORDS=(andal ${typed}); COMP_CWORD=${words.length}; _andal; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter(Boolean);
}

describe('the completion', () => {
  it('knows every command and every option there is', () => {
    forEachCommand(program, (command) => {
      const names: string[] = [];
      for (let at = command; at.parent !== null; at = at.parent) names.unshift(at.name());
      const point = points.find(({ path }) => path === names.join(' '));
      expect(point?.options.map(({ name }) => name)).toEqual(expect.arrayContaining(command.options.map(({ long }) => long)));
    });
  });

  it('offers commands, then their commands, arguments and options', () => {
    expect(offered('st')).toEqual(['status']);
    expect(offered('cache', 'v')).toEqual(['verify']);
    expect(offered('pause', 'send-rec')).toEqual(['send-receipt']);
    expect(offered('sweep', '--w')).toEqual(['--whole-table']);
    expect(offered('status', '--js')).toEqual(['--json']);
  });

  it('offers the values an option takes, and nothing where anything may stand', () => {
    expect(offered('dlq', 'list', '--kind', 'outbox')).toEqual(['outbox-failed']);
    expect(offered('pause', 'send-receipt', '--reason', '')).toEqual([]);
  });

  it('finds the command behind global options and their values', () => {
    expect(offered('--stage', 'test', 'pause', 'exp')).toEqual(['export-orders']);
  });

  it.each(SHELLS)('is a script in which nothing of a path or a description is run: %s', (shell) => {
    const script = completionScript(shell, points, ROOT);
    expect(script).toContain("--prefix '/home/me/it'\\''s here'");
    expect(script).toContain('capture-payment');
  });
});
