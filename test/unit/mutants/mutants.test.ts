import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mutated } from '../../mutants/apply.ts';
import { mutants } from '../../mutants/list.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SHIPPED = ['shared', 'functions', 'infra', 'cli'];

const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');
const product = globSync(`{${SHIPPED.join(',')}}/**/*.ts`, { cwd: ROOT }).map((file) => ({ file, text: read(file) }));

describe('mutants', () => {
  it('are at least fifty, each with a name of its own', () => {
    const names = mutants.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(50);
  });

  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s: fits the code as it stands and changes it', (_, { edits }) => {
    for (const [file, ofFile] of Map.groupBy(edits, (edit) => edit.file)) {
      const source = read(file);
      for (const { from } of ofFile) expect(source.split(from)).toHaveLength(2);
      expect(ofFile.reduce(mutated, source)).not.toBe(source);
    }
  });

  it('touch nothing but what is shipped', () => {
    for (const { edits } of mutants) for (const { file } of edits) expect(SHIPPED).toContain(file.split('/')[0]);
  });
});

describe('what is shipped', () => {
  it('was found', () => {
    expect(product.length).toBeGreaterThan(200);
  });

  it('holds no text that a mutant puts in', () => {
    const found = mutants.flatMap(({ name, edits }) =>
      edits.filter(({ file, to }) => to !== '' && read(file).includes(to)).map(({ file }) => `${name} in ${file}`),
    );
    expect(found).toEqual([]);
  });

  it('imports nothing from the tests, so that no bundle can hold a mutant', () => {
    const importing = product.filter(({ text }) => /(?:from|import\()\s*'[^']*\btest\//.test(text)).map(({ file }) => file);
    expect(importing).toEqual([]);
  });
});
