import { describe, expect, it } from 'vitest';
import { SettingsError } from '../../infra/context-values.ts';
import { readSettings } from '../../infra/settings.ts';

const message = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
};

describe('stages', () => {
  it('are local unless someone says otherwise', () => {
    expect(readSettings({}).stage).toBe('local');
  });

  it('are named in the sentence that refuses another one', () => {
    expect(message(() => readSettings({ stage: 'staging' }))).toBe(
      'Stage "staging" does not exist. Pass -c stage=local, -c stage=test or -c stage=prod.',
    );
  });

  it('shorten time on the emulator only', () => {
    expect(readSettings({ stage: 'local' })).toMatchObject({ timeScale: 0.1, streamFailureMode: 'throw' });
    expect(readSettings({ stage: 'test' })).toMatchObject({ timeScale: 1, streamFailureMode: 'report' });
  });
});

describe('the payment provider', () => {
  it('may be named at the deployment in prod, which brings no sandbox', () => {
    expect(readSettings({ stage: 'prod' })).toMatchObject({ ownSandbox: false, paymentProviderUrl: undefined });
    expect(readSettings({ stage: 'test' }).ownSandbox).toBe(true);
  });

  it.each(['not a url', 'http://payments.example'])('is refused in prod as %s', (paymentProviderUrl) => {
    expect(message(() => readSettings({ stage: 'prod', paymentProviderUrl }))).toContain('-c paymentProviderUrl=https://');
  });

  it('is taken as it was given', () => {
    expect(readSettings({ stage: 'prod', paymentProviderUrl: 'https://payments.example' }).paymentProviderUrl).toBe(
      'https://payments.example',
    );
  });

  it.each(['local', 'test'])('is refused in stage %s, where it would not be used', (stage) => {
    expect(message(() => readSettings({ stage, paymentProviderUrl: 'https://payments.example' }))).toContain('Leave it out');
  });
});

describe('the emulator', () => {
  it('is where the SDK would look for it', () => {
    expect(readSettings({ endpointUrl: 'http://127.0.0.1:4582/' }).emulatorEndpoint).toBe('http://127.0.0.1:4582');
    expect(readSettings({}).emulatorEndpoint).toBe('http://127.0.0.1:4566');
  });

  it('is not looked for by stages on AWS, whatever the shell says', () => {
    expect(readSettings({ stage: 'test', endpointUrl: 'nonsense' }).emulatorEndpoint).toBeUndefined();
  });

  it('is named in the sentence that refuses a malformed endpoint', () => {
    expect(message(() => readSettings({ endpointUrl: 'localhost' }))).toContain('AWS_ENDPOINT_URL');
  });

  it('fixes the account, so an open local API cannot land in a real one', () => {
    expect(readSettings({}).env).toEqual({ account: '000000000000', region: 'us-east-1' });
  });
});

describe('whoever may call the API', () => {
  const prod = { stage: 'prod', paymentProviderUrl: 'https://payments.example' };

  it('signs with AWS credentials in stages on AWS, and need not say who they are on the emulator only', () => {
    expect(readSettings(prod).apiAuthorization).toEqual({ type: 'iam' });
    expect(readSettings({ stage: 'test' }).apiAuthorization).toEqual({ type: 'iam' });
    expect(readSettings({}).apiAuthorization).toEqual({ type: 'none' });
  });

  it('brings a token where an issuer is named', () => {
    expect(readSettings({ ...prod, jwtIssuer: 'https://issuer.example', jwtAudience: 'one, two' }).apiAuthorization).toEqual({
      type: 'jwt',
      issuer: 'https://issuer.example',
      audience: ['one', 'two'],
    });
  });

  it.each([
    [{ jwtIssuer: 'http://issuer.example', jwtAudience: 'orders' }, 'not an https URL'],
    [{ jwtAudience: 'orders' }, 'jwtIssuer'],
    [{ jwtIssuer: 'https://issuer.example' }, '-c jwtAudience='],
    [{ jwtIssuer: 'https://issuer.example', jwtAudience: ' , ' }, 'names nobody'],
  ])('is not guessed from half a setting: %o', (jwt, sentence) => {
    expect(message(() => readSettings({ ...prod, ...jwt }))).toContain(sentence);
  });

  it('is not asked in stage local, where a token would protect nothing', () => {
    expect(message(() => readSettings({ jwtIssuer: 'https://issuer.example' }))).toContain('Leave them out');
    expect(message(() => readSettings({ jwtAudience: 'orders' }))).toContain('Leave them out');
  });
});

describe('the address for alarms', () => {
  it('may be left out, and has to be one', () => {
    expect(readSettings({ stage: 'test' }).alarmEmail).toBeUndefined();
    expect(readSettings({ stage: 'test', alarmEmail: 'somebody@example.com' }).alarmEmail).toBe('somebody@example.com');
    expect(message(() => readSettings({ stage: 'test', alarmEmail: 'nobody' }))).toContain('alarmEmail is not a mail address');
  });
});

describe('a rollout', () => {
  it('begins with a canary on AWS unless someone cannot wait, and is no rollout on the emulator', () => {
    expect(readSettings({ stage: 'test' }).rollout).toBe('canary');
    expect(readSettings({ stage: 'test', rollout: 'at-once' }).rollout).toBe('at-once');
    expect(readSettings({}).rollout).toBe('latest');
    expect(message(() => readSettings({ stage: 'test', rollout: 'blue' }))).toBe(
      'Rollout "blue" does not exist. Leave it out for a canary, or pass -c rollout=at-once.',
    );
  });
});
