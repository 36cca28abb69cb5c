import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runningEmulator } from '../local/running-emulator.ts';
import { CliError, EXIT } from '../output/cli-error.ts';

export function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}

export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));
/** Installed emulator, its log and pid file, deployment records. ANDAL_STATE_DIRECTORY keeps a second set elsewhere. */
export const defaultStateDirectory = resolve(repositoryRoot, nonEmpty(process.env['ANDAL_STATE_DIRECTORY']) ?? '.local');

export const LOCAL_STAGE = 'local';
export const DEFAULT_REGION = 'us-east-1';

/** Where a command works: an emulator when there is an endpoint, an AWS account when there is none. */
export interface Target {
  readonly stage: string;
  readonly region: string;
  readonly endpointUrl: string | undefined;
  readonly profile: string | undefined;
}

export interface TargetOptions {
  readonly stage?: string;
  readonly region?: string;
  readonly profile?: string;
}

/**
 * AWS_ENDPOINT_URL decides; without it stage `local` means the emulator started from this directory, and no other stage ever does.
 * @throws CliError when stage `local` has no emulator: it must never reach an AWS account by accident
 */
export function resolveTarget(
  options: TargetOptions,
  env: NodeJS.ProcessEnv = process.env,
  stateDirectory = defaultStateDirectory,
): Target {
  const stage = options.stage ?? LOCAL_STAGE;
  const given = givenEndpoint(env);
  const endpointUrl = given ?? (stage === LOCAL_STAGE ? runningEmulator(stateDirectory)?.endpointUrl : undefined);
  if (stage === LOCAL_STAGE && endpointUrl === undefined) throw nothingDeployed({ stage, profile: options.profile });
  const region = options.region ?? nonEmpty(env['AWS_REGION']) ?? nonEmpty(env['AWS_DEFAULT_REGION']) ?? DEFAULT_REGION;
  return { stage, region, endpointUrl, profile: options.profile };
}

/** The endpoint the shell names, if it names one. @throws CliError when it is no URL */
export function givenEndpoint(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = nonEmpty(env['AWS_ENDPOINT_URL']);
  if (given === undefined || URL.canParse(given)) return given;
  throw new CliError(
    'AWS_ENDPOINT_URL is not a URL: set it to where the emulator answers, for example http://127.0.0.1:4566, or unset it.',
    {
      exitCode: EXIT.usage,
    },
  );
}

/** @param region where it was looked for; left out when nothing was asked */
export function nothingDeployed({ stage, region, profile }: Pick<Target, 'stage' | 'profile'> & { readonly region?: string }): CliError {
  const other = region === undefined || region === DEFAULT_REGION ? '' : `; it may be in another region (--region ${DEFAULT_REGION})`;
  if (stage === LOCAL_STAGE)
    return new CliError(
      region === undefined
        ? 'Nothing is deployed locally yet: start and deploy with `npm run andal -- up`.'
        : `Nothing is deployed locally in region ${region}${other}: deploy with \`npm run andal -- up\`.`,
    );
  const account = profile === undefined ? 'this account' : `the account of profile ${profile}`;
  return new CliError(
    `Stage ${stage} is not deployed in region ${region} of ${account}: deploy it with \`npm run andal -- deploy --stage ${stage}\`, or say --region or --profile.`,
  );
}
