import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

export interface LostAnswers {
  readonly requestHandler: NonNullable<DynamoDBClientConfig['requestHandler']>;
  /** The next request is carried out and its answer thrown away, as if the connection broke in between. */
  loseNext(): void;
  /** Requests that reached the table. */
  readonly carriedOut: number;
  readonly lost: number;
}

interface Handler {
  handle(request: unknown, options?: unknown): Promise<unknown>;
}

/** Sits where the SDK meets the network, below its retries: the SDK repeats a write that has been applied. */
export function createLostAnswers(): LostAnswers {
  const network = new DynamoDBClient({}).config.requestHandler as unknown as Handler;
  let losesNext = false;
  const counted = { carriedOut: 0, lost: 0 };
  const requestHandler = {
    async handle(request: unknown, options?: unknown) {
      const answer = await network.handle(request, options);
      counted.carriedOut++;
      if (!losesNext) return answer;
      losesNext = false;
      counted.lost++;
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    },
  };
  return {
    requestHandler: requestHandler as unknown as LostAnswers['requestHandler'],
    loseNext: () => {
      losesNext = true;
    },
    get carriedOut() {
      return counted.carriedOut;
    },
    get lost() {
      return counted.lost;
    },
  };
}
