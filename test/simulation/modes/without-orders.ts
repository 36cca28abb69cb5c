import type { Invariant } from '../invariant.ts';

/**
 * For shrinking: customers who never place these orders. Their requests are lost before the API, so that whatever would follow from
 * them does not, and nothing else of the story changes.
 */
export const withoutOrders = (numbers: readonly number[]): Invariant => ({
  id: 'without-orders',
  promise: 'is no promise',
  watch({ lambda }) {
    const keys = new Set(numbers.map((number) => `order-${number}`));
    const invoke = lambda.invoke;
    Object.assign(lambda, {
      invoke(...[functionName, event, ended]: Parameters<typeof invoke>) {
        const { headers } = (event ?? {}) as { readonly headers?: Readonly<Record<string, string>> };
        if (functionName === 'accept-order' && keys.has(headers?.['idempotency-key'] ?? '')) return;
        invoke(functionName, event, ended);
      },
    });
    return {};
  },
});
