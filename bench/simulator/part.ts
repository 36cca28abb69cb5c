import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { YOUNG_GENERATION } from '../../test/simulation/modes/pool.ts';
import type { Part } from '../report/part.ts';
import { formatSpread, spreadOf } from '../report/spread.ts';

const SCRIPT = fileURLToPath(new URL('measure.ts', import.meta.url));
const STORIES = [
  { story: 'full', what: 'runs of the full scenario', count: 150, least: 15 },
  { story: 'one-order', what: 'runs of one order', count: 600, least: 60 },
] as const;

export const simulator: Part = {
  title: 'How fast the simulator is',
  timed: true,
  async run({ runs, say }) {
    const measured = STORIES.map(({ story, what, count, least }) => {
      const spread = spreadOf(Array.from({ length: runs }, () => runsPerSecond(story, count)));
      say(`${what}: ${formatSpread(spread, 1)} a second`);
      return { what, least, spread };
    });
    return {
      budgets: measured.map(({ what, least, spread }) => ({
        what: `simulator, ${what}, one core`,
        budget: `≥ ${least} runs/s`,
        measured: `${formatSpread(spread, 1)} runs/s`,
        kept: spread.median >= least,
      })),
      tables: [],
      charts: [],
      notes: [
        'With every checker, the seeds from one on, in a process of its own as a campaign starts it, once it is warm; storm, rest and operator are virtual days each.',
      ],
    };
  },
};

function runsPerSecond(story: string, count: number): number {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...YOUNG_GENERATION, SCRIPT, story, String(count)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the simulator did not run: ${stderr}`);
  return Number(stdout.trim().split('\n').at(-1));
}
