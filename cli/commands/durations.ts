import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../dead-letters/duration.ts';

/** A duration within bounds. @param sentence what it is, with an example */
export const durationWithin =
  (sentence: string, { minMs, maxMs }: { minMs: number; maxMs: number }) =>
  (text: string): number => {
    const ms = parseDuration(text);
    if (ms >= minMs && ms <= maxMs) return ms;
    throw new InvalidArgumentError(sentence);
  };

export const parseEvery = durationWithin('How often is a duration from 1s to 1h, for example 5s.', { minMs: 1_000, maxMs: 3_600_000 });
