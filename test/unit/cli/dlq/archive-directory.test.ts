import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createArchiveDirectory } from '../../../../cli/dead-letters/archive-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'andal-archive-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('makes every directory on the way, and keeps what it is given', async () => {
  const archive = createArchiveDirectory(join(directory, 'a', 'b'));
  await archive.open();
  expect(await archive.putOnce('dead-letters/q/m.json', 'text')).toBe(true);
  expect(await archive.putOnce('dead-letters/q/m.json', 'other')).toBe(false);
  expect(await archive.get('dead-letters/q/m.json')).toBe('text');
});

it('says at once where nothing can be kept, and what to do', async () => {
  writeFileSync(join(directory, 'file'), '');
  await expect(createArchiveDirectory(join(directory, 'file', 'below')).open()).rejects.toThrow(/Nothing can be kept in .*--archive/);
});

it('ends where a file system lets nothing be made', async () => {
  await expect(createArchiveDirectory('/proc/andal').open()).rejects.toThrow(/Nothing can be kept in \/proc\/andal/);
});
