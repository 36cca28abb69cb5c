import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cdkEnvironment } from '../../../cli/local/cdk.ts';
import { emulatorEnvironment } from '../../../cli/local/emulator.ts';
import { findPython } from '../../../cli/local/python.ts';

describe('the environment of the emulator', () => {
  const environment = emulatorEnvironment(4570, '/state/tmp', {
    PATH: '/usr/bin',
    HOME: '/home/me',
    AWS_ENDPOINT_URL: 'http://elsewhere:4566',
    AWS_PROFILE: 'prod',
    AWS_SECRET_ACCESS_KEY: 'real',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    NODE_OPTIONS: '--inspect',
    HTTPS_PROXY: 'http://proxy',
  });

  it('hands no endpoint, credential or proxy of the shell to the functions', () => {
    expect(Object.keys(environment).filter((name) => /^(AWS_|NODE_|HTTPS?_)/.test(name))).toEqual([]);
  });

  it('binds to the loopback interface only', () => {
    expect(environment).toMatchObject({ BIND_HOST: '127.0.0.1', MINISTACK_HOST: '127.0.0.1', GATEWAY_PORT: '4570' });
  });

  it('finds the Node of this program first, because functions run whatever node is on the PATH', () => {
    expect(environment['PATH']?.split(':')[0]).toBe(dirname(process.execPath));
  });
});

describe('the environment of the CDK', () => {
  const shell = { PATH: '/usr/bin', AWS_PROFILE: 'prod', AWS_SESSION_TOKEN: 'token', AWS_ACCESS_KEY_ID: 'AKIAREAL' };
  const emulator = { stage: 'local', region: 'us-east-1', profile: undefined };

  it('never takes a profile or session of the shell to an emulator', () => {
    const environment = cdkEnvironment({ ...emulator, endpointUrl: 'http://127.0.0.1:4566' }, shell);
    expect(environment).toMatchObject({ AWS_ACCESS_KEY_ID: 'test', AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' });
    expect(environment['AWS_PROFILE'] ?? environment['AWS_SESSION_TOKEN']).toBeUndefined();
  });

  it.each(['http://localhost:4566', 'http://localhost.localstack.cloud:4566'])('reaches S3 by address: %s', (endpointUrl) => {
    expect(cdkEnvironment({ ...emulator, endpointUrl }, shell)['AWS_ENDPOINT_URL_S3']).toBe('http://127.0.0.1:4566');
  });

  it('keeps the shell as it is for an account', () => {
    const environment = cdkEnvironment({ stage: 'test', region: 'eu-central-1', profile: undefined, endpointUrl: undefined }, shell);
    expect(environment).toMatchObject({ AWS_PROFILE: 'prod', AWS_ACCESS_KEY_ID: 'AKIAREAL', AWS_REGION: 'eu-central-1' });
  });
});

describe('the Python for the emulator', () => {
  const installed = (versions: Record<string, string>) => (command: string) => versions[command];

  it('is the first that is new enough', () => {
    expect(findPython(installed({ python3: '3.9', 'python3.11': '3.11' }))).toBe('python3.11');
    expect(findPython(installed({ python3: '3.14' }))).toBe('python3');
  });

  it('is asked for in one sentence that names what was found', () => {
    expect(() => findPython(installed({ python3: '3.9' }))).toThrow(/needs Python 3\.10 or newer.*only 3\.9 was found.*Install it/);
    expect(() => findPython(installed({}))).toThrow(/none was found/);
  });
});
