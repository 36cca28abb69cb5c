import { validationError } from '../aws-error.ts';

const MAX_DIGITS = 38;

/** Exact sum of two plain decimals; a JavaScript number would lose digits the service keeps. */
export function addDecimals(left: string, right: string): string {
  const places = Math.max(placesOf(left), placesOf(right));
  const sum = scaled(left, places) + scaled(right, places);
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = places > 0 ? digits.slice(-places).replace(/0+$/, '') : '';
  if (`${whole}${fraction}`.replace(/^0+/, '').replace(/0+$/, '').length > MAX_DIGITS) {
    throw validationError('Attempting to store more than 38 significant digits in a Number');
  }
  return `${sum < 0n ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}`;
}

const placesOf = (decimal: string): number => decimal.split('.')[1]?.length ?? 0;

function scaled(decimal: string, places: number): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`);
}

/** Up to so many characters a decimal and its nearest double are in the same order. */
const EXACT_AS_DOUBLE = 15;

/** Exact for plain decimals of any length, which is how numbers are stored. */
export function compareDecimals(left: string, right: string): number {
  if (left === right) return 0;
  if (left.length <= EXACT_AS_DOUBLE && right.length <= EXACT_AS_DOUBLE) return Number(left) - Number(right);
  const [negativeLeft, negativeRight] = [left.startsWith('-'), right.startsWith('-')];
  if (negativeLeft !== negativeRight) return negativeLeft ? -1 : 1;
  const order = compareMagnitudes(left.replace('-', ''), right.replace('-', ''));
  return negativeLeft ? -order : order;
}

function compareMagnitudes(left: string, right: string): number {
  const [wholeLeft = '', fractionLeft = ''] = left.split('.');
  const [wholeRight = '', fractionRight = ''] = right.split('.');
  const width = Math.max(fractionLeft.length, fractionRight.length);
  return (
    wholeLeft.length - wholeRight.length ||
    compareDigits(wholeLeft, wholeRight) ||
    compareDigits(fractionLeft.padEnd(width, '0'), fractionRight.padEnd(width, '0'))
  );
}

const compareDigits = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
