import type { System } from '#shared/runtime/system.ts';
import { makeFast } from './make-fast.ts';

/**
 * What the SDK would otherwise look for in environment and profiles, anew for each client and in part for each call. None of it
 * changes what is sent but for the caller's name.
 */
const settled = {
  // Each command's middleware is put together once for each client, not for each call.
  cacheMiddleware: true,
  ignoreConfiguredEndpointUrls: true,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  defaultsMode: 'standard',
  retryMode: 'standard',
  accountIdEndpointMode: 'disabled',
  authSchemePreference: [],
  endpointDiscoveryEnabledProvider: async () => false,
  // Of DynamoDB alone: room for endpoints that are never discovered, allocated with each client.
  endpointCacheSize: 1,
  userAgentAppId: '',
  // Called on the client's own configuration, which the SDK copies three times for each call.
  async defaultUserAgentProvider(this: object) {
    makeFast(this);
    return [];
  },
  // Of S3 alone.
  disableS3ExpressSessionAuth: true,
  disableMultiregionAccessPoints: false,
  useArnRegion: false,
  requestChecksumCalculation: 'WHEN_SUPPORTED',
  responseChecksumValidation: 'WHEN_SUPPORTED',
};

export const SDK_CONFIG = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  // Signing is half the cost of a request, and nobody here checks it.
  signer: { sign: async <Request>(request: Request) => request },
  ...settled,
} as NonNullable<System['sdk']['config']>;
