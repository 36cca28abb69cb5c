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
