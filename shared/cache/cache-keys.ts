export const orderCacheKey = (userId: string, orderId: string): string => `order:${userId}/${orderId}`;
export const orderSummaryCacheKey = (userId: string): string => `order_summary:user:${userId}`;
