const EMAIL = /[^\s@]+@[^\s@]+\.[^\s@]+/;
/** 13 to 19 digits, alone or in groups. */
const LONG_NUMBER = /(?<!\d)\d(?:[ .-]?\d){12,18}(?!\d)/g;

/**
 * Whether a text holds an e-mail address or the number of a payment card, which belong in no audit.
 *
 * Does not protect against names and addresses: nothing tells them from other words.
 */
export function holdsPersonalData(text: string): boolean {
  const plain = text.normalize('NFKC');
  return EMAIL.test(plain) || [...plain.matchAll(LONG_NUMBER)].some(([number]) => isCardNumber(number.replaceAll(/\D/g, '')));
}

/** Luhn's checksum; of other long numbers nine in ten pass. */
function isCardNumber(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
