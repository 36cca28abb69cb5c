import { InvalidArgumentError } from 'commander';
import type * as z from 'zod';
import * as identifiers from '#shared/contract/identifiers.ts';
import { createOrderSchema } from '#shared/domain/create-order.ts';
import * as money from '#shared/domain/money.ts';
import { wholeNumber } from './whole-number.ts';

/** What the API would refuse is refused here, by the same rules, before anything is sent. */
const checked =
  (schema: z.ZodType, sentence: string) =>
  (text: string): string => {
    if (schema.safeParse(text).success) return text;
    throw new InvalidArgumentError(sentence);
  };

export const parseUserId = checked(identifiers.userId, 'A user id is 1 to 40 characters of A-Z a-z 0-9 _ -, for example u-17.');

export const parseAmount = wholeNumber(
  `An amount is a whole number of minor units from 1 to ${money.MAX_AMOUNT_MINOR}, in plain digits: 1250 for 12.50 EUR.`,
  { min: 1, max: money.MAX_AMOUNT_MINOR },
);

export const parseCurrency = checked(money.currency, 'A currency is an ISO 4217 code in capitals, for example EUR.');

export const parseIdempotencyKey = checked(
  identifiers.idempotencyKey,
  'A key is 1 to 128 printable ASCII characters without spaces, for example basket-4711.',
);

export const parseNote = checked(createOrderSchema.shape.note, 'A note is text of at most 140 characters without control characters.');
