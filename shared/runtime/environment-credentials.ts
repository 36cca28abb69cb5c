import { StatedError } from '#shared/contract/stated-error.ts';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Lambda puts a function's credentials into its environment and nowhere else. In a bundle this stands in for the SDK's chain of
 * providers (infra/constructs/bundle-function.ts), which would look into profiles, containers and single sign-on as well: a sixth of
 * a function, loaded at every cold start.
 */
export const defaultProvider = (): (() => Promise<Credentials>) => async () => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = process.env;
  if (!accessKeyId || !secretAccessKey) throw new StatedError('the environment has no AWS credentials; a function gets them from Lambda');
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
};
