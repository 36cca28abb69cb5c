import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CliError, EXIT } from '../output/cli-error.ts';
import { nonEmpty, type Target } from './target.ts';

/** The names in the AWS configuration of this machine, as every AWS tool finds it. */
export function profilesOf(env: NodeJS.ProcessEnv = process.env): string[] {
  const config = read(nonEmpty(env['AWS_CONFIG_FILE']) ?? join(homedir(), '.aws', 'config'));
  const credentials = read(nonEmpty(env['AWS_SHARED_CREDENTIALS_FILE']) ?? join(homedir(), '.aws', 'credentials'));
  const names = [
    ...[...config.matchAll(/^\s*\[\s*(?:profile\s+["']?([^\]"']+?)["']?|(default))\s*\]/gm)].map(
      ([, named, byDefault]) => named ?? byDefault,
    ),
    ...[...credentials.matchAll(/^\s*\[\s*([^\]]+?)\s*\]/gm)].map(([, name]) => name),
  ];
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Named by the option; else by the shell, unless its keys or an emulator make that name idle. */
export function profileOf({ profile, endpointUrl }: Target, env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (profile !== undefined) return profile;
  return endpointUrl !== undefined || nonEmpty(env['AWS_ACCESS_KEY_ID']) !== undefined ? undefined : nonEmpty(env['AWS_PROFILE']);
}

/** The SDK would only say that it found no credentials. @throws CliError when a profile was named that is not there */
export function refuseUnknownProfile(profile: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (profile === undefined) return;
  const known = profilesOf(env);
  if (known.includes(profile)) return;
  const there = known.length === 0 ? 'There are no profiles: make one with `aws configure sso`.' : `Profiles: ${known.join(', ')}.`;
  throw new CliError(`There is no AWS profile ${JSON.stringify(profile)}. ${there}`, { exitCode: EXIT.usage });
}
