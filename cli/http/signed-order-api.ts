import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { LOCAL_STAGE } from '../aws/target.ts';
import type { Session } from '../session.ts';
import { type OrderApi, orderApi, type Sign } from './order-api.ts';

/** The API of a deployment: open in stage local, elsewhere for IAM callers only, with the credentials of this command. */
export const orderApiOf = (session: Session): OrderApi =>
  orderApi(session.output(STACK_OUTPUTS.orderApiUrl), session.target.stage === LOCAL_STAGE ? undefined : signWithIam(session));

/** Signature Version 4 by the SDK's own signer; the service name is the only thing that differs from a call to AWS. */
const signWithIam =
  ({ clients, target }: Session): Sign =>
  async ({ method, url, headers, body }) => {
    const signer = await clients.dynamoDb.config.signer();
    const signed = await signer.sign(
      {
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: {},
        headers: { ...headers, host: url.host },
        body,
      },
      { signingService: 'execute-api', signingRegion: target.region },
    );
    return signed.headers;
  };
