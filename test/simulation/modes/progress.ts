import { progress } from '@clack/prompts';

export interface Progress {
  /** @param runs played so far */
  show(runs: number, violations: number): void;
  /** Something worth a line of its own, at once: a long campaign may never come to its report. */
  tell(line: string): void;
  stop(text: string): void;
}

const LINE_EVERY_MS = 15_000;
const SHOWN_EVERY_MS = 200;
const BAR = 200;

/**
 * A bar in a terminal, a line now and then elsewhere; on the error output, so that the answer stays one clean document.
 *
 * @param runs how many there will be; undefined when nobody knows
 */
export function createProgress(what: string, runs: number | undefined): Progress {
  const startedMs = Date.now();
  const text = (done: number, violations: number): string => {
    const perSecond = (done / Math.max(1, (Date.now() - startedMs) / 1000)).toFixed(1);
    return `${what}: ${done}${runs === undefined ? '' : ` of ${runs}`} runs, ${perSecond} runs/s, ${violations} broken`;
  };
  const isLive = process.stderr.isTTY && process.env['CI'] === undefined;
  return isLive ? bar(text, runs) : lines(text);
}

type Text = (done: number, violations: number) => string;

function bar(text: Text, runs: number | undefined): Progress {
  const shown = progress({ max: BAR, style: 'heavy', output: process.stderr });
  shown.start(text(0, 0));
  let [at, shownMs] = [0, 0];
  return {
    show(done, violations) {
      if (Date.now() - shownMs < SHOWN_EVERY_MS) return;
      shownMs = Date.now();
      const next = runs === undefined ? 0 : Math.floor((done / runs) * BAR);
      shown.advance(next - at, text(done, violations));
      at = next;
    },
    tell: (line) => shown.message(line),
    stop: (last) => shown.stop(last),
  };
}

const write = (line: string): void => void process.stderr.write(`${line}\n`);

function lines(text: Text): Progress {
  let saidMs = Date.now();
  return {
    show(done, violations) {
      if (Date.now() - saidMs < LINE_EVERY_MS) return;
      saidMs = Date.now();
      write(text(done, violations));
    },
    tell: write,
    stop: write,
  };
}
