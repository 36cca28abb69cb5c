import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** How long one try of one call may take. */
export interface CallLimits {
  /** Milliseconds; the SDK's own words. */
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
}

type RequestHandler = NonNullable<DynamoDBClientConfig['requestHandler']>;
type RetryStrategy = NonNullable<DynamoDBClientConfig['retryStrategy']>;

/**
 * What all SDK clients of a process are made of, besides their limits. On Lambda nothing: the SDK finds region, credentials and network
 * by itself.
 */
export interface SdkOptions {
  /** The network. It must end a call at the limits by itself. */
  readonly createRequestHandler?: (limits: CallLimits) => RequestHandler;
  /** Made for each client, so that a client that sends once still sends once. */
  readonly createRetryStrategy?: (maxAttempts: number) => RetryStrategy;
  readonly config?: Pick<
    DynamoDBClientConfig,
    'region' | 'credentials' | 'signer' | 'cacheMiddleware' | 'ignoreConfiguredEndpointUrls' | 'defaultUserAgentProvider'
  >;
}

/** What every client makes of them. */
export interface ClientOptions {
  /** Tries of one call, the first included. */
  readonly maxAttempts?: number;
  readonly sdk?: SdkOptions;
}

interface ClientConfig extends NonNullable<SdkOptions['config']> {
  readonly maxAttempts: number;
  readonly requestHandler: RequestHandler;
  readonly retryStrategy?: RetryStrategy;
}

export function clientConfig(maxAttempts: number, limits: CallLimits, sdk: SdkOptions = {}): ClientConfig {
  const retryStrategy = sdk.createRetryStrategy?.(maxAttempts);
  return {
    ...sdk.config,
    maxAttempts,
    ...(retryStrategy === undefined ? {} : { retryStrategy }),
    requestHandler: sdk.createRequestHandler?.(limits) ?? { ...limits, throwOnRequestTimeout: true },
  };
}
