import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { reachableUrl } from '../../../cli/aws/deployment.ts';
import { nothingDeployed, resolveTarget } from '../../../cli/aws/target.ts';
import { rememberEmulator } from '../../../cli/local/running-emulator.ts';

const stateDirectory = mkdtempSync(join(tmpdir(), 'andal-target-'));
afterAll(() => rmSync(stateDirectory, { recursive: true }));

describe('where a command works', () => {
  it('is the endpoint of the environment when there is one', () => {
    const target = resolveTarget({}, { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' }, stateDirectory);
    expect(target).toEqual({ stage: 'local', region: 'us-east-1', endpointUrl: 'http://127.0.0.1:4566', profile: undefined });
  });

  it('is asked for again when the endpoint is no URL', () => {
    expect(() => resolveTarget({}, { AWS_ENDPOINT_URL: 'localhost' }, stateDirectory)).toThrow(/AWS_ENDPOINT_URL is not a URL/);
  });

  it('is never an AWS account in stage local: without an emulator the sentence says how to start one', () => {
    expect(() => resolveTarget({}, {}, stateDirectory)).toThrow(/npm run andal -- up/);
  });

  it('is not a process that merely inherited the pid of an emulator', () => {
    rememberEmulator(stateDirectory, { pid: process.pid, port: 4566, endpointUrl: 'http://127.0.0.1:4566', workDirectory: stateDirectory });
    expect(() => resolveTarget({}, {}, stateDirectory)).toThrow(/npm run andal -- up/);
  });

  it('is the account of the profile in other stages', () => {
    const target = resolveTarget({ stage: 'test', profile: 'team' }, { AWS_REGION: 'eu-central-1' }, stateDirectory);
    expect(target).toEqual({ stage: 'test', region: 'eu-central-1', endpointUrl: undefined, profile: 'team' });
  });
});

describe('the URL of an API', () => {
  it.each([
    'http://abc123.execute-api.localhost:4566',
    'http://abc123.execute-api.127.0.0.1:4566',
    'http://abc123.execute-api.localhost.localstack.cloud:4566/',
  ])('is reached through the endpoint where its host does not resolve: %s', (url) => {
    expect(reachableUrl(url, 'http://127.0.0.1:4566/')).toBe('http://127.0.0.1:4566/_aws/execute-api/abc123/$default');
  });

  it.each([
    ['https://abc123.execute-api.eu-central-1.amazonaws.com/', undefined, 'https://abc123.execute-api.eu-central-1.amazonaws.com'],
    ['http://127.0.0.1:4566/_aws/execute-api/abc/$default', 'http://127.0.0.1:4566', 'http://127.0.0.1:4566/_aws/execute-api/abc/$default'],
  ])('stays as it is where it can be reached: %s', (url, endpointUrl, expected) => {
    expect(reachableUrl(url, endpointUrl)).toBe(expected);
  });
});

it.each([
  [
    { stage: 'local', profile: undefined, region: 'eu-west-3' },
    /locally in region eu-west-3; it may be in another region \(--region us-east-1\)/,
  ],
  [{ stage: 'local', profile: undefined, region: 'us-east-1' }, /locally in region us-east-1: deploy/],
  [
    { stage: 'test', profile: 'team', region: 'eu-west-3' },
    /Stage test is not deployed in region eu-west-3 of the account of profile team: deploy it/,
  ],
])('says where nothing is deployed: %o', (target, sentence) => {
  expect(nothingDeployed(target).message).toMatch(sentence);
});
