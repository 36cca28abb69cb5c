import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { profileOf, profilesOf, refuseUnknownProfile } from '../../../cli/aws/profiles.ts';

const directory = mkdtempSync(join(tmpdir(), 'andal-profiles-'));
afterAll(() => rmSync(directory, { recursive: true }));
const [config, credentials] = [join(directory, 'config'), join(directory, 'credentials')];
writeFileSync(config, '[default]\nregion = x\n[profile my-team]\n[sso-session corp]\n [profile "two words"]\n');
writeFileSync(credentials, '[old]\naws_access_key_id = A\n');
const env = { AWS_CONFIG_FILE: config, AWS_SHARED_CREDENTIALS_FILE: credentials };

it('a profile that is there is taken; the sessions beside them are none', () => {
  expect(profilesOf(env)).toEqual(['default', 'my-team', 'old', 'two words']);
  expect(() => refuseUnknownProfile('my-team', env)).not.toThrow();
  expect(() => refuseUnknownProfile(undefined, env)).not.toThrow();
});

it('a profile that is not there is named, with those that are', () => {
  expect(() => refuseUnknownProfile('nosuch', env)).toThrow(
    'There is no AWS profile "nosuch". Profiles: default, my-team, old, two words.',
  );
  const nothing = { AWS_CONFIG_FILE: join(directory, 'no'), AWS_SHARED_CREDENTIALS_FILE: join(directory, 'no') };
  expect(() => refuseUnknownProfile('nosuch', nothing)).toThrow('There are no profiles: make one with `aws configure sso`.');
});

it('a profile that only the shell names counts where the SDK would use it', () => {
  const target = { stage: 'test', region: 'r', endpointUrl: undefined, profile: undefined };
  expect(profileOf(target, { AWS_PROFILE: 'nosuch' })).toBe('nosuch');
  expect(profileOf(target, { AWS_PROFILE: 'nosuch', AWS_ACCESS_KEY_ID: 'A' })).toBeUndefined();
  expect(profileOf({ ...target, endpointUrl: 'http://e' }, { AWS_PROFILE: 'nosuch' })).toBeUndefined();
  expect(profileOf({ ...target, profile: 'mine' }, {})).toBe('mine');
});
