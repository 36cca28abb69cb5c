import { clearScreenDown, cursorTo } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { quiet } from '../output/paint.ts';

/** Where a watched thing is shown: a terminal is redrawn, a pipe gets a line a change. */
export interface Screen {
  show(text: string): void;
  close(): void;
}

const ALTERNATE_SCREEN = '\u001b[?1049h\u001b[?25l';
const ORDINARY_SCREEN = '\u001b[?25h\u001b[?1049l';

type Terminal = Pick<NodeJS.WriteStream, 'write' | 'rows'>;

/** Shows the latest text on a screen of its own, cut at the last row; the terminal is as it was when it closes, and the last text stays. */
export function createTerminalScreen(out: Terminal): Screen {
  let last = '';
  out.write(ALTERNATE_SCREEN);
  return {
    show(text) {
      last = text;
      const lines = text.split('\n');
      const fitting = lines.slice(0, Math.max(1, (out.rows ?? lines.length + 1) - 1));
      cursorTo(out as NodeJS.WriteStream, 0, 0);
      // Cleared line by line: clearing all of it first would flicker.
      out.write(fitting.map((line) => `${line}\u001b[K`).join('\n'));
      clearScreenDown(out as NodeJS.WriteStream);
    },
    close: () => void out.write(`${ORDINARY_SCREEN}${last}\n`),
  };
}

/** Says only what it has not just said. */
export function createLineScreen(out: Pick<NodeJS.WriteStream, 'write'>): Screen {
  let last: string | undefined;
  return {
    show(text) {
      if (text !== last) out.write(`${text}\n`);
      last = text;
    },
    close: () => undefined,
  };
}

export interface Watch<Seen> {
  readonly everyMs: number;
  look(): Promise<Seen>;
  show(seen: Seen): void;
  /** A look that failed is said and tried again: what is watched may be just what is broken. */
  showFailure(error: unknown): void;
}

/** Looks again and again until `signal` is aborted; resolves then. A first look that fails ends it: nothing was ever there to watch. */
export async function watch<Seen>({ everyMs, look, show, showFailure }: Watch<Seen>, signal: AbortSignal): Promise<void> {
  let hasSeen = false;
  while (!signal.aborted) {
    try {
      show(await look());
      hasSeen = true;
    } catch (error) {
      if (!hasSeen) throw error;
      showFailure(error);
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Aborted by Ctrl-C, by being told to end, and by a reader of the pipe who has seen enough. */
export function untilInterrupted(out: NodeJS.WriteStream = process.stdout): AbortSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  out.on('error', end);
  return controller.signal;
}

export const watchedEvery = (everyMs: number): string => quiet(`Every ${everyMs / 1000} s; Ctrl-C ends.`);
