import type { MeteredAccount } from './account.ts';

interface ApiAnswer {
  readonly statusCode: number;
  readonly body: string;
}

interface ApiRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly body?: object;
}

/** @throws Error for any answer but a 2xx: what is counted here is what goes well at the entrance */
export async function ask(account: MeteredAccount, functionName: string, { path = {}, key, body }: ApiRequest): Promise<unknown> {
  const answer = (await account.invoke(functionName, {
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
    pathParameters: path,
    body: body === undefined ? undefined : JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { requestId: 'request' },
  })) as ApiAnswer;
  if (answer.statusCode >= 300) throw new Error(`${functionName} answered ${answer.statusCode}: ${answer.body}`);
  return JSON.parse(answer.body);
}

export interface OrderName {
  readonly userId: string;
  readonly orderId: string;
}

export async function placeOrders(account: MeteredAccount, count: number, amountMinor = 4_999, firstUser = 1): Promise<OrderName[]> {
  const orders: OrderName[] = [];
  for (let number = firstUser; number < firstUser + count; number++) {
    // As long as the ids of a real directory.
    const userId = `user-${String(number).padStart(12, '0')}`;
    orders.push(
      (await ask(account, 'accept-order', { path: { userId }, key: `key-${number}`, body: { amountMinor, currency: 'EUR' } })) as OrderName,
    );
  }
  return orders;
}
