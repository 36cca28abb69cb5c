import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mutants } from '../../mutants/list.ts';
import { invariants } from '../../simulation/invariants/index.ts';

const document = readFileSync(join(new URL('../../../', import.meta.url).pathname, 'docs/verification.md'), 'utf8');

it('docs/verification.md tells each promise that is watched, in the words of its checker', () => {
  const section = /### The promises([\s\S]*?)\n### /.exec(document)?.[1] ?? '';
  const told = [...section.matchAll(/^\| ([A-Z]\d+) \| (.*) \|$/gm)].map(([, id, promise]) => `${id} ${promise}`);
  expect(told.sort()).toEqual(invariants.map(({ id, promise }) => `${id} ${promise}`).sort());
});

it('docs/verification.md counts the mutants there are', () => {
  expect(document).toContain(`${mutants.length} mutants`);
});
