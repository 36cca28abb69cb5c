import { signedFetch } from '#shared/aws/signed-fetch.ts';
import { LOCAL_STAGE } from '../aws/target.ts';
import type { Session } from '../session.ts';

/** How the example provider of a deployment is asked: it is open in stage local, elsewhere for IAM callers only. */
export const sandboxFetch = ({ target, clients }: Session): ((request: Request) => Promise<Response>) =>
  target.stage === LOCAL_STAGE ? fetch : signedFetch(clients.dynamoDb, fetch);
