import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import ordinary from '../../vitest.config.ts';
import { mutated } from './apply.ts';
import { mutantNamed } from './list.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { edits } = mutantNamed(process.env['ANDAL_MUTANT'] ?? '');

/** The ordinary suites over the edited sources, which exist in memory only. */
const mutant = {
  name: 'mutant',
  enforce: 'pre' as const,
  transform(source: string, id: string) {
    const wanted = edits.filter(({ file }) => id.split('?')[0] === `${ROOT}${file}`);
    return wanted.length === 0 ? undefined : { code: wanted.reduce(mutated, source), map: null };
  },
};

const projects = (ordinary.test?.projects ?? []).map((project) =>
  typeof project === 'object' ? { ...project, root: ROOT, plugins: [mutant] } : project,
);

// biome-ignore lint/style/noDefaultExport: Vitest looks for its configuration there
export default defineConfig({ root: ROOT, test: { ...ordinary.test, projects, cache: false } });
