import { Listr, PRESET_TIMER } from 'listr2';
import { bad, good, quiet } from './paint.ts';

export interface Step {
  readonly title: string;
  readonly act: Act;
}
type Act = (onProgress: Progress) => Promise<string | undefined>;
/** Shows what a step is doing right now. */
export type Progress = (line: string) => void;

/**
 * @param act does the work; its progress is shown in a terminal only, a log of every line would bury the steps
 * @returns a step that ends with the title `act` returns, if any
 */
export const step = (title: string, act: Act): Step => ({ title, act });

/**
 * Runs steps, `atOnce` of them side by side: live in a terminal, as one line per finished step elsewhere, silently under --json.
 * Signals are left to the caller, who has something to stop.
 */
export async function runSteps(steps: readonly Step[], { json, atOnce = 1 }: { json: boolean; atOnce?: number }): Promise<void> {
  const isLive = !json && process.stdout.isTTY;
  const tasks = steps.map(({ title, act }) => ({
    title,
    task: async (_context: object, task: { title?: string; output: string }): Promise<void> => {
      const show: Progress = isLive ? (line) => (task.output = line) : () => {};
      const work = isLive || json ? act : logged(title, act);
      task.title = (await work(show).catch(stepFailed)) ?? title;
    },
  }));
  try {
    await new Listr<object, 'default' | 'silent'>(tasks, {
      concurrent: atOnce,
      renderer: isLive ? 'default' : 'silent',
      registerSignalListeners: false,
      rendererOptions: { timer: { ...PRESET_TIMER, field: seconds } },
    }).run();
  } catch (error) {
    throw error instanceof StepFailed ? error.cause : error;
  }
}

/** The steps show only that a step failed; why is said once, by whoever ends the program. */
class StepFailed extends Error {}

const stepFailed = (cause: unknown): never => {
  throw new StepFailed('see below', { cause });
};

/** A step that ends sooner is told of once, when it has ended; one that takes longer also says that it has begun. */
const LONG_STEP_MS = 5_000;

const logged =
  (title: string, act: Act): Act =>
  async (onProgress) => {
    const started = Date.now();
    const say = (line: string): boolean => process.stdout.write(`${line}\n`);
    const sayBegun = setTimeout(() => say(`${quiet('…')} ${title}`), LONG_STEP_MS);
    const took = (): string => quiet(`(${seconds(Date.now() - started)})`);
    try {
      const ended = await act(onProgress);
      say(`${good('✔')} ${ended ?? title} ${took()}`);
      return ended;
    } catch (error) {
      say(`${bad('✖')} ${title}, failed: see below ${took()}`);
      throw error;
    } finally {
      clearTimeout(sayBegun);
    }
  };

const seconds = (durationMs: number): string => `${(durationMs / 1000).toFixed(1)} s`;
