import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

it('a reader who has seen enough ends no command with an error', async () => {
  const command = `set -o pipefail; "${process.execPath}" cli/andal.ts --help | head -c 1 >/dev/null; echo "ended $?"`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', command], { cwd: root });
  expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: 'ended 0', stderr: '' });
});
