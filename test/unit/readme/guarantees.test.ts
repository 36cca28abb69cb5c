import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url).pathname;
const rows = readFileSync(join(root, 'docs/guarantees.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, id, , enforced = '', proved = ''] = line.split('|').map((cell) => cell.trim());
    return id !== undefined && /^[A-I]\d$/.test(id) ? [{ id, enforced, proved }] : [];
  });
const namedIn = (cell: string): string[] => [...cell.matchAll(/`([a-z-]+\/[A-Za-z0-9/._-]+)`/g)].map(([, path = '']) => path);

/** How many promises each letter has. */
const PROMISES = { A: 4, B: 8, C: 4, D: 5, E: 5, F: 5, G: 7, H: 5, I: 7 };

describe('docs/guarantees.md', () => {
  it('lists every promise once', () => {
    const expected = Object.entries(PROMISES).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
    );
    expect(rows.map(({ id }) => id)).toEqual(expected);
  });

  it.each(rows)('$id names places and tests that exist, or says that it is kept later', ({ enforced, proved }) => {
    const tests = namedIn(proved);
    expect(namedIn(enforced).filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(tests.filter((path) => !existsSync(join(root, 'test', path)) && !existsSync(join(root, 'test', `${path}.test.ts`)))).toEqual([]);
    expect(tests.length > 0 || enforced.includes('*later*')).toBe(true);
  });
});
