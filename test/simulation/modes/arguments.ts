import { InvalidArgumentError } from 'commander';

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
