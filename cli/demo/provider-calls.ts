import { paymentIntentId } from '#shared/domain/order.ts';
import type { DemoOrder, DemoWorld } from './world.ts';

export interface ProviderCalls {
  readonly operations: readonly string[];
  readonly captures: number;
  /** Each charging call after the first came after a question; counted, because requests may overtake each other. */
  readonly askedFirst: boolean;
}

/** What the provider was asked about an order's first payment attempt, by its own log. */
export async function providerCalls({ provider }: DemoWorld, { orderId }: DemoOrder): Promise<ProviderCalls> {
  const operations = (await provider.requests(paymentIntentId(orderId, 1))).map(({ operation }) => operation);
  const captures = operations.filter((operation) => operation === 'capture').length;
  const questions = operations.filter((operation) => operation === 'find').length;
  return { operations, captures, askedFirst: captures - 1 <= questions };
}

export const listed = ({ operations }: ProviderCalls): string => `the provider was asked: ${operations.join(', ')}`;
