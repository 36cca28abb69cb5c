import * as z from 'zod';

/** Largest amount accepted: eight digits of minor units, the limit card networks share. */
export const MAX_AMOUNT_MINOR = 99_999_999;

/** Money is whole minor units, never a fraction and never a string. */
export const amountMinor = z.int().min(1).max(MAX_AMOUNT_MINOR);

const knownCurrencies = new Set(Intl.supportedValuesOf('currency'));

/** ISO 4217 code in capitals. */
export const currency = z.string().refine((code) => knownCurrencies.has(code), 'must be an ISO 4217 currency code such as EUR');
