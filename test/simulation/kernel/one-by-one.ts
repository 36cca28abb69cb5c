import { real } from './virtual-globals.ts';

/**
 * Immediates that were asked for together run without a turn of the real loop between them, and after each Node ends all microtasks
 * and ticks, the SDK's own among them. A turn costs more than most events.
 */
const TOGETHER = 64;

/**
 * Takes steps until one says that there are no more; what a step set in motion ends before the next one begins.
 *
 * Does not protect against work that goes on outside of JavaScript, such as a library that still loads a part of itself.
 *
 * @param patienceMs real milliseconds to wait after each step, for what does
 */
export function oneByOne(step: () => boolean, patienceMs?: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const take = (): void => {
      if (isOver) return;
      try {
        isOver = !step();
      } catch (error) {
        isOver = true;
        return reject(error);
      }
      if (isOver) resolve();
    };
    const takeMore = (): void => {
      take();
      if (!isOver) ask();
    };
    const ask = (): void => {
      if (patienceMs !== undefined) return void real.setTimeout(takeMore, patienceMs);
      for (let count = 1; count < TOGETHER; count++) real.setImmediate(take);
      real.setImmediate(takeMore);
    };
    ask();
  });
}
