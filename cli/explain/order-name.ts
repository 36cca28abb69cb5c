import { InvalidArgumentError } from 'commander';
import * as identifiers from '#shared/contract/identifiers.ts';

export interface OrderName {
  readonly userId: string;
  readonly orderId: string;
}

/** Reads `<userId>/<orderId>`. */
export function parseOrderName(text: string): OrderName {
  const [userId, orderId, ...rest] = text.split('/');
  const isValid = rest.length === 0 && identifiers.userId.safeParse(userId).success && identifiers.orderId.safeParse(orderId).success;
  if (!isValid)
    throw new InvalidArgumentError(
      'An order is named <userId>/<orderId>, each 1 to 40 characters of A-Z a-z 0-9 _ -, for example u-17/ORDERID.',
    );
  return { userId: userId as string, orderId: orderId as string };
}
