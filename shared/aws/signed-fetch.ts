import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * Sends requests to an HTTP API of ours that answers IAM callers only, signed by the SDK's own signer with the credentials the
 * client has. The service name is all that differs from a call to AWS.
 *
 * Does not protect against an address that is not ours: whoever answers there learns who we are, though no secret of ours.
 */
export const signedFetch =
  (client: DynamoDBClient, send: typeof fetch) =>
  async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const signer = await client.config.signer();
    const signed = await signer.sign(
      {
        method: request.method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: { ...Object.fromEntries(request.headers), host: url.host },
        body: await request.clone().text(),
      },
      { signingService: 'execute-api' },
    );
    const { host: _, ...headers } = signed.headers;
    return send(new Request(request, { headers }));
  };
