import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url).pathname;
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const rows = new Map(
  [...readme.matchAll(/^\| `([a-z/-]+)`( \(rest\))? \| (.*) \|$/gm)].map(([, folder = '', rest = '', holds = '']) => [
    folder + rest,
    holds,
  ]),
);

const foldersIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    // Git keeps no empty folder, so a clone has none.
    .filter((entry) => entry.isDirectory() && readdirSync(join(root, folder, entry.name)).length > 0)
    .map(({ name }) => name);

describe('the folders README.md names', () => {
  it('exist', () => {
    expect(rows.size).toBeGreaterThan(6);
    const folders = [...rows.keys()].map((row) => row.replace(' (rest)', ''));
    expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
  });

  it('are all the concepts there are in shared/', () => {
    const rest = [...(rows.get('shared/ (rest)') ?? '').matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
    const ownRows = [...rows.keys()].flatMap((row) => /^shared\/([a-z-]+)\/$/.exec(row)?.[1] ?? []);
    expect([...rest, ...ownRows].sort()).toEqual(foldersIn('shared').sort());
  });

  it('are the kinds of tests there are', () => {
    const kinds = [...(rows.get('test/') ?? '').matchAll(/(?:^|· )([a-z]+)/g)].map(([, kind]) => kind);
    expect(kinds.sort()).toEqual(
      foldersIn('test')
        .filter((name) => name !== 'support')
        .sort(),
    );
  });

  it('and the functions its picture shows are there', () => {
    const picture = /```mermaid\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const nodes = new Set([...picture.matchAll(/\b[a-z]+(?:-[a-z]+)+\b/g)].map(([node]) => node));
    expect([...nodes].filter((node) => node !== 'dead-letter' && !foldersIn('functions').includes(node))).toEqual([]);
  });
});

describe('what README.md says of the command line', () => {
  it.each(['--port', 'ANDAL_STATE_DIRECTORY', 'ANDAL_DEBUG=1', '0 ok, 1 failed, 2 wrong usage, 3 nothing found'])('names %s', (word) => {
    expect(readme).toContain(word);
  });
});
