import { InvalidArgumentError } from 'commander';

/**
 * Reads plain decimal digits; what JavaScript also takes for a number (1e3, 0x10, " 7 ", "") is a slip of the hand here.
 * @param sentence what the number is, with an example
 */
export const wholeNumber =
  (sentence: string, { min, max }: { min: number; max: number }) =>
  (text: string): number => {
    const number = /^[1-9][0-9]*$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(sentence);
  };
