import { availableParallelism } from 'node:os';
import { InvalidArgumentError } from 'commander';
import type { Part } from './cases.ts';

/** A campaign counts on from its first seed, and numbers this large do not grow by one any more. */
const LARGEST = 2 ** 48;

export const whole = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) > LARGEST) throw new InvalidArgumentError(`a whole number up to ${LARGEST} is expected`);
  return Number(text);
};

export const atLeastOne = (text: string): number => {
  if (whole(text) < 1) throw new InvalidArgumentError('at least 1 is expected');
  return whole(text);
};

/** A process more than the machine can run at a time only takes memory; a few more hide what one waits for. */
const JOBS_PER_PROCESSOR = 4;

export const jobs = (text: string): number => {
  const [processors, asked] = [availableParallelism(), atLeastOne(text)];
  const most = JOBS_PER_PROCESSOR * processors;
  if (asked > most) throw new InvalidArgumentError(`this machine runs ${processors} processes at a time; at most ${most} are of any use`);
  return asked;
};

/** A timer counts no longer than 24 days. */
const LONGEST_PATIENCE_SECONDS = 86_400;

export const patience = (text: string): number => {
  if (atLeastOne(text) > LONGEST_PATIENCE_SECONDS)
    throw new InvalidArgumentError(`at most ${LONGEST_PATIENCE_SECONDS}, a day, is expected`);
  return atLeastOne(text);
};

export const part = (text: string): Part => {
  const [, first = '', second = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const [number, of] = [Number(first), Number(second)];
  if (!(number >= 1 && number <= of && of <= LARGEST))
    throw new InvalidArgumentError('write <k>/<n>, the k-th of n parts, for example 2/8');
  return { number, of };
};

export const share = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('a share between 0 and 1 is expected');
  return value;
};

export const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw Object.assign(new InvalidArgumentError('JSON is expected, in single quotes for the shell'), { cause });
  }
};

export const jsonObject = (text: string): Readonly<Record<string, unknown>> => {
  const value = json(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidArgumentError('a JSON object is expected');
  return value as Readonly<Record<string, unknown>>;
};
