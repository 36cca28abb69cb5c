import { delimiter, dirname, join } from 'node:path';
import { repositoryRoot, type Target } from '../aws/target.ts';
import { CliError } from '../output/cli-error.ts';
import { runCommand } from './run-command.ts';

const cdkProgram = join(repositoryRoot, 'node_modules', '.bin', 'cdk');

/**
 * Runs the stock CDK CLI against the target: against an emulator by nothing but its endpoint variables.
 * @param options.cwd where cdk.json is looked for
 */
export async function cdk(
  args: readonly string[],
  target: Target,
  { onOutput, cwd = repositoryRoot }: { onOutput?: ((line: string) => void) | undefined; cwd?: string } = {},
): Promise<void> {
  const { exitCode, tail } = await runCommand(cdkProgram, [...args, '--ci', '--no-color', '--no-notices'], {
    env: cdkEnvironment(target),
    cwd,
    ...(onOutput === undefined ? {} : { onOutput }),
  });
  if (exitCode !== 0) throw new CliError(`\`cdk ${args[0]}\` failed; its last lines say why:\n${tail}`);
}

export function cdkEnvironment(target: Target, from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const quiet = { CDK_DISABLE_CLI_TELEMETRY: 'true', CDK_DISABLE_VERSION_CHECK: '1' };
  const path = { PATH: [dirname(process.execPath), from['PATH'] ?? ''].join(delimiter) };
  const region = { AWS_REGION: target.region, AWS_DEFAULT_REGION: target.region };
  if (target.endpointUrl === undefined) {
    return { ...from, ...quiet, ...path, ...region, ...(target.profile === undefined ? {} : { AWS_PROFILE: target.profile }) };
  }
  // A profile or session of the shell would win over the emulator's credentials.
  const { AWS_PROFILE: _profile, AWS_SESSION_TOKEN: _token, ...rest } = from;
  return {
    ...rest,
    ...quiet,
    ...path,
    ...region,
    AWS_ENDPOINT_URL: target.endpointUrl,
    AWS_ENDPOINT_URL_S3: byAddress(target.endpointUrl),
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
}

/** The S3 client puts the bucket before a host name, which resolves nowhere; an address keeps it in the path. */
function byAddress(endpointUrl: string): string {
  const url = new URL(endpointUrl);
  if (/^localhost(\.localstack\.cloud)?$/.test(url.hostname)) url.hostname = '127.0.0.1';
  return url.origin;
}
