import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runSteps, step } from '../../../cli/output/steps.ts';

let written: string;
const isTerminal = process.stdout.isTTY;
beforeEach(() => {
  vi.useFakeTimers();
  written = '';
  process.stdout.isTTY = false;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  process.stdout.isTTY = isTerminal;
});

const lasting = (title: string, durationMs: number, ended?: string) =>
  step(title, async (tell) => {
    tell('a detail');
    await new Promise((resolve) => void setTimeout(resolve, durationMs));
    return ended;
  });
const toEnd = async (running: Promise<void>): Promise<void> => {
  const settled = running.then(
    () => undefined,
    (error: unknown) => error,
  );
  await vi.runAllTimersAsync();
  const error = await settled;
  if (error !== undefined) throw error;
};
const lines = (): string[] => written.trimEnd().split('\n');

describe('steps where nobody looks live', () => {
  it('are one line each, when they end, also side by side', async () => {
    await toEnd(runSteps([lasting('slow', 3_000), lasting('quick', 1_000, 'quick, 7 orders')], { json: false, atOnce: 2 }));
    expect(lines()).toEqual(['✔ quick, 7 orders (1.0 s)', '✔ slow (3.0 s)']);
  });

  it('say that they have begun only when they take long', async () => {
    await toEnd(runSteps([lasting('install', 6_000), lasting('look', 100)], { json: false }));
    expect(lines()).toEqual(['… install', '✔ install (6.0 s)', '✔ look (0.1 s)']);
  });

  it('leave the reason of a failure to whoever ends the program', async () => {
    const failing = step('deploy', () => Promise.reject(new Error('no disk')));
    await expect(toEnd(runSteps([failing, lasting('never', 1)], { json: false }))).rejects.toThrow('no disk');
    expect(lines()).toEqual([expect.stringMatching(/^✖ deploy, failed: see below/)]);
  });

  it('are silent under --json', async () => {
    await toEnd(runSteps([lasting('long', 20_000)], { json: true }));
    expect(written).toBe('');
  });
});
