import { GetEventSourceMappingCommand, LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { createMappingStates } from '../../simulation/cloud/mapping-states.ts';
import type { QueueMapping } from '../../simulation/cloud/queue-mapping.ts';
import type { World } from '../../simulation/kernel/world.ts';
import { restCallOf, type SdkRequest } from '../../simulation/network/rest-call.ts';
import { createSmallWorld } from './small-world.ts';

const UUID = 'mapping-a';

function bench() {
  const world = createSmallWorld();
  const mapping = { definition: { batchSize: 10 }, enabled: true, maxConcurrency: 8, poke: () => undefined } as unknown as QueueMapping;
  const states = createMappingStates({
    world: world as unknown as World,
    mappings: new Map([[UUID, mapping]]),
    onSettled: () => undefined,
  });
  const requestHandler = {
    handle: async (request: SdkRequest) => ({ response: states.handle(restCallOf(request)) }),
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  } as never;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new LambdaClient({ region: 'us-east-1', credentials, requestHandler, maxAttempts: 1 });
  const update = (settings: object) => client.send(new UpdateEventSourceMappingCommand({ UUID, ...settings }));
  return { world, mapping, client, update, state: async () => (await client.send(new GetEventSourceMappingCommand({ UUID }))).State };
}

describe('the state of a mapping', () => {
  it.each([
    ['goes off by way of Disabling', true, { Enabled: false }, ['Enabled', 'Disabling', 'Disabled']],
    [
      'comes on by way of Enabling',
      false,
      { Enabled: true, ScalingConfig: { MaximumConcurrency: 2 } },
      ['Disabled', 'Enabling', 'Enabled'],
    ],
    ['changes by way of Updating', true, { Enabled: true, ScalingConfig: { MaximumConcurrency: 2 } }, ['Enabled', 'Updating', 'Enabled']],
  ])('%s', async (_, enabled, settings, [before, meanwhile, after]) => {
    const { world, mapping, update, state } = bench();
    mapping.enabled = enabled;
    expect(await state()).toBe(before);
    await update(settings);
    expect([await state(), mapping.enabled]).toEqual([meanwhile, enabled]);
    await world.pass(60_000);
    expect([await state(), mapping.enabled]).toEqual([after, settings.Enabled]);
  });

  it('takes no other change while one is on its way', async () => {
    const { world, mapping, update } = bench();
    await update({ Enabled: true, ScalingConfig: { MaximumConcurrency: 4 } });
    await expect(update({ Enabled: false })).rejects.toMatchObject({ name: 'ResourceInUseException' });
    await world.pass(60_000);
    expect([mapping.enabled, mapping.maxConcurrency]).toEqual([true, 4]);
  });

  it('refuses a concurrency that AWS refuses, and a mapping nobody knows', async () => {
    const { client, update } = bench();
    await expect(update({ ScalingConfig: { MaximumConcurrency: 1 } })).rejects.toMatchObject({ name: 'InvalidParameterValueException' });
    await expect(client.send(new GetEventSourceMappingCommand({ UUID: 'other' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});

describe('a REST request', () => {
  it.each<[string, SdkRequest, [string, string, string]]>([
    [
      'an object of a bucket in the host name',
      { hostname: 'exports.s3.us-east-1.amazonaws.com', path: '/a/b.jsonl', method: 'PUT', headers: {} },
      ['PutObject', 'b.jsonl', '/exports/a/b.jsonl'],
    ],
    [
      'an object of a bucket in the path',
      { hostname: 's3.us-east-1.amazonaws.com', path: '/exports/a/b', method: 'GET', headers: {} },
      ['GetObject', 'b', '/exports/a/b'],
    ],
    [
      'a part',
      { hostname: 'e.s3.us-east-1.amazonaws.com', path: '/a', method: 'PUT', headers: {}, query: { uploadId: '1' } },
      ['UploadPart', 'a', '/e/a'],
    ],
  ])('is recognised: %s', (_, request, expected) => {
    const { operation, subject, path } = restCallOf(request);
    expect([operation, subject, path]).toEqual(expected);
  });

  it('to a service nobody simulates is refused', () => {
    expect(() => restCallOf({ hostname: 'sts.us-east-1.amazonaws.com', headers: {} })).toThrow('no service is simulated at sts');
  });
});
