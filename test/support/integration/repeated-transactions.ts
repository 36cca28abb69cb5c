import { randomUUID } from 'node:crypto';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** How the same transaction reaches the table a second time. `without its token`: as one of another, so that nothing but its conditions can tell. */
export type Repetition = 'one after the other' | 'at the same time' | 'without its token';

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
interface Handler {
  handle(request: Request, options?: unknown): Promise<unknown>;
}

export interface RepeatedTransactions {
  readonly requestHandler: NonNullable<DynamoDBClientConfig['requestHandler']>;
  /** Transactions that were sent twice. */
  readonly repeated: number;
}

/** Sits where the SDK meets the network and sends every transaction twice; the caller sees the answer to the second. */
export function createRepeatedTransactions(how: Repetition): RepeatedTransactions {
  const network = new DynamoDBClient({}).config.requestHandler as unknown as Handler;
  const counted = { repeated: 0 };
  const requestHandler = {
    async handle(request: Request, options?: unknown) {
      if (!request.headers['x-amz-target']?.endsWith('.TransactWriteItems')) return network.handle(request, options);
      counted.repeated++;
      const again = how === 'without its token' ? withOtherToken(request) : request;
      const first = network.handle(request, options);
      if (how !== 'at the same time') await first;
      const second = network.handle(again, options);
      await Promise.allSettled([first, second]);
      return second;
    },
  };
  return {
    requestHandler: requestHandler as unknown as RepeatedTransactions['requestHandler'],
    get repeated() {
      return counted.repeated;
    },
  };
}

/** Of the same length, so that nothing else of the request changes. */
function withOtherToken(request: Request): Request {
  const before = Buffer.from(request.body as string | Uint8Array).toString('utf8');
  const after = before.replace(/"ClientRequestToken":"[^"]{36}"/, `"ClientRequestToken":"${randomUUID()}"`);
  if (after === before) throw new Error('the transaction carries no token');
  return Object.assign(Object.create(Object.getPrototypeOf(request)) as object, request, { body: Buffer.from(after) }) as Request;
}
