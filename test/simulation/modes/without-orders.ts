import type { Invariant } from '../invariant.ts';

/** Of an order that would have been placed; without it nothing was left out. */
export const leftOut = (number: number): string => `order ${number} is left out`;

/**
 * For shrinking: customers who never place these orders. Their requests are lost before the API, so that whatever would follow from
 * them does not, and nothing else of the story changes.
 */
export const withoutOrders = (numbers: readonly number[]): Invariant => ({
  id: 'without-orders',
  promise: 'is no promise',
  watch(simulation) {
    const { lambda } = simulation;
    const numberOf = new Map(numbers.map((number) => [`order-${number}`, number]));
    const invoke = lambda.invoke;
    Object.assign(lambda, {
      invoke(...[functionName, event, ended]: Parameters<typeof invoke>) {
        const { headers } = (event ?? {}) as { readonly headers?: Readonly<Record<string, string>> };
        const number = functionName === 'accept-order' ? numberOf.get(headers?.['idempotency-key'] ?? '') : undefined;
        if (number === undefined) return invoke(functionName, event, ended);
        simulation.happened(leftOut(number));
      },
    });
    return {};
  },
});
