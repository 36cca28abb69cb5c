/** ISO 4217 currencies whose minor unit is not a hundredth. Intl is no source for this: it rounds some currencies as shops do. */
const DIGITS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const digitsOf = new Map(
  Object.entries(DIGITS).flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, Number(digits)] as const)),
);

/** Minor units as people write them: 1250 EUR → 12.50 EUR, 1250 JPY → 1250 JPY. */
export function formatAmount(amountMinor: number, currency: string): string {
  const digits = digitsOf.get(currency) ?? 2;
  return `${(amountMinor / 10 ** digits).toFixed(digits)} ${currency}`;
}
