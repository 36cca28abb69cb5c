import { describe, expect, it } from 'vitest';
import { parseEvery } from '../../../cli/commands/durations.ts';
import { createRescan } from '../../../cli/explain/rescan.ts';
import { statusOf } from '../../../cli/explain/status.ts';
import { changeOf, statusLine } from '../../../cli/explain/status-line.ts';
import { createLineScreen, createTerminalScreen, watch } from '../../../cli/explain/watch.ts';

/** What a terminal of so many rows was written; control sequences by name. */
function terminal(rows: number) {
  const written: string[] = [];
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  return { out: { rows, write } as unknown as NodeJS.WriteStream, text: () => written.join('') };
}

describe('a terminal screen', () => {
  it('shows no more lines than fit, and the last text stays when it closes', () => {
    const { out, text } = terminal(3);
    const screen = createTerminalScreen(out);
    screen.show('one\ntwo\nthree\nfour');
    expect(text()).toContain('two');
    expect(text()).not.toContain('three');
    screen.close();
    expect(text()).toMatch(/\?25h.*\?1049lone\ntwo\nthree\nfour\n$/);
  });
});

describe('a pipe', () => {
  it('gets a line a change and none for what it knows already', () => {
    const { out, text } = terminal(0);
    const screen = createLineScreen(out);
    for (const seen of ['a', 'a', 'b', 'b', 'a']) screen.show(seen);
    expect(text()).toBe('a\nb\na\n');
  });

  it('is told of a change by what changed, never by what only grows older', () => {
    const queue = { name: 'capture-payment', waiting: 2, inFlight: 1, delayed: 0, deadLetters: 3, oldestLetterAtMs: 5 };
    const scan = { orders: [{ status: 'paid' }, { status: 'pending_payment', createdAtMs: 1 }], failedJobs: [], truncated: false };
    const at = (nowMs: number) =>
      statusOf('local', [queue], scan, { nowMs, rateLimits: [{ dependency: 'd', callsPerSecond: 5, bookedAheadMs: nowMs }] });
    expect(statusLine(at(100_000))).toBe('capture-payment 2+1+0 dead 3 · paid 1 · pending_payment 1 · not ended 1');
    expect(statusLine(at(200_000))).toBe(statusLine(at(100_000)));
    expect(changeOf(at(200_000))).toEqual(changeOf(at(100_000)));
  });
});

describe('a watch', () => {
  const run = async (looks: (() => string)[]) => {
    const seen: string[] = [];
    const controller = new AbortController();
    const look = async (): Promise<string> => {
      const next = looks.shift();
      if (next === undefined) controller.abort();
      return next?.() ?? 'last';
    };
    const failure = (error: unknown): void => void seen.push(`failed: ${(error as Error).message}`);
    await watch({ everyMs: 1, look, show: (text) => void seen.push(text), showFailure: failure }, controller.signal);
    return seen;
  };
  const broken = () => {
    throw new Error('gone');
  };

  it('goes on until it is told to end', async () => {
    expect(await run([() => 'a', () => 'b'])).toEqual(['a', 'b', 'last']);
  });

  it('outlives a look that failed', async () => {
    expect(await run([() => 'a', broken, () => 'b'])).toEqual(['a', 'failed: gone', 'b', 'last']);
  });

  it('ends with the failure of the very first look: there is nothing to watch', async () => {
    await expect(run([broken])).rejects.toThrow('gone');
  });

  it('scans a small table at each look and a large one twice a minute', async () => {
    let nowMs = 0;
    const count = async (orders: number): Promise<number> => {
      let scans = 0;
      const rescan = createRescan(
        async () => {
          scans++;
          return { orders: Array.from({ length: orders }, () => ({})), failedJobs: [], truncated: false };
        },
        () => nowMs,
      );
      for (let look = 0; look < 30; look++, nowMs += 2_000) await rescan();
      return scans;
    };
    expect(await count(10)).toBe(30);
    expect(await count(5_000)).toBe(2);
  });

  it.each(['0s', '2h', '5', '', '1.5s', '-1s'])('is refused an interval of %j in a sentence', (text) => {
    expect(() => parseEvery(text)).toThrow(/duration/);
  });
});
