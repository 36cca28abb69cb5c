import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * The password of an ElastiCache user whose authentication mode is IAM: the address of a request to `connect`, signed with the
 * credentials of the function and good for 15 minutes. It is made on this machine; nobody is asked. User name and user id are the same.
 *
 * Does not protect against a role without elasticache:Connect: the server refuses the login, not the signer.
 */
export interface ValkeyUser {
  readonly cacheName: string;
  readonly userName: string;
}

const GOOD_FOR_SECONDS = 900;

interface Presigner {
  presign(request: object, options: object): Promise<{ readonly query?: Record<string, string | string[] | null> | undefined }>;
}

export const loginByIam =
  (client: DynamoDBClient, { cacheName, userName }: ValkeyUser) =>
  async (): Promise<{ username: string; password: string }> => {
    const signer = (await client.config.signer()) as unknown as Presigner;
    const request = {
      method: 'GET',
      protocol: 'http:',
      hostname: cacheName,
      path: '/',
      query: { Action: 'connect', User: userName, ResourceType: 'ServerlessCache' },
      headers: { host: cacheName },
    };
    const { query = {} } = await signer.presign(request, { expiresIn: GOOD_FOR_SECONDS, signingService: 'elasticache' });
    const parts = Object.entries(query).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
    return { username: userName, password: `${cacheName}/?${parts.join('&')}` };
  };
