import { Listr, type ListrTask, PRESET_TIMER } from 'listr2';

export type Step = ListrTask<object>;
/** Shows what a step is doing right now. */
export type Progress = (line: string) => void;

/**
 * Runs steps, `atOnce` of them side by side: live in a terminal, as plain lines elsewhere, silently under --json.
 * Signals are left to the caller, who has something to stop.
 */
export async function runSteps(steps: readonly Step[], { json, atOnce = 1 }: { json: boolean; atOnce?: number }): Promise<void> {
  const renderer = json ? 'silent' : process.stdout.isTTY ? 'default' : 'simple';
  try {
    await new Listr<object, 'default' | 'simple' | 'silent'>([...steps], {
      concurrent: atOnce,
      renderer,
      registerSignalListeners: false,
      rendererOptions: { timer: { ...PRESET_TIMER, field: (ms: number) => `${(ms / 1000).toFixed(1)} s` } },
    }).run();
  } catch (error) {
    throw error instanceof StepFailed ? error.cause : error;
  }
}

/** The steps show only that a step failed; why is said once, by whoever ends the program. */
class StepFailed extends Error {}

/**
 * @param act does the work; its progress is shown in a terminal only, a log of every line would bury the steps
 * @returns a step that ends with the title `act` returns, if any
 */
export function step(title: string, act: (onProgress: Progress) => Promise<string | undefined>): Step {
  return {
    title,
    task: async (_context, task) => {
      const show: Progress = (line) => {
        if (process.stdout.isTTY) task.output = line;
      };
      try {
        task.title = (await act(show)) ?? title;
      } catch (error) {
        throw new StepFailed('see below', { cause: error });
      }
    },
  };
}
