import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { functionWorkers } from '../../../cli/local/function-workers.ts';
import { commandOf, stopGroup } from '../../../cli/local/processes.ts';

const stateDirectory = mkdtempSync(join(tmpdir(), 'andal-workers-'));
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(stateDirectory, { recursive: true, force: true });
});

async function idle(name: string, env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', name], { env, detached: true, stdio: 'ignore' });
  started.push(child);
  await once(child, 'spawn');
  return child.pid!;
}

describe('the processes of a function', () => {
  it('are those of this emulator, never those of another one with a function of the same name', async () => {
    const functionName = `Fn${process.pid}`;
    const own = await idle(`/tmp/ministack-lambda-${functionName}-a/_worker.js`, { GATEWAY_PORT: '4585' });
    const foreign = await idle(`/tmp/ministack-lambda-${functionName}-b/_worker.js`, { GATEWAY_PORT: '4999' });
    const found = functionWorkers(functionName, 'http://127.0.0.1:4585', stateDirectory);
    expect(found).not.toContain(foreign);
    expect(found).toEqual(existsSync('/proc/self/environ') ? [own] : []);
  });
});

describe('stopping a process group', () => {
  it('ends only when its leader is gone', async () => {
    const pid = await idle('some-program', {});
    expect(commandOf(pid)).toContain('some-program');
    await stopGroup(pid);
    expect(commandOf(pid)).toBeUndefined();
  });
});
