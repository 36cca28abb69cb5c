import type { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it } from 'vitest';
import { createLambdaMappings } from '#shared/aws/lambda-mappings.ts';

function bench(answers: Record<string, object> = {}) {
  const sent: object[] = [];
  const send = async ({ input }: { input: { UUID: string } }) => {
    sent.push(input);
    return answers[input.UUID] ?? {};
  };
  return { sent, mappings: createLambdaMappings({ send } as unknown as LambdaClient, { a: 'id-a', b: 'id-b' }) };
}

it('asks for the mappings it was given, by their ids', async () => {
  const { mappings } = bench({ 'id-a': { State: 'Enabled', ScalingConfig: { MaximumConcurrency: 7 } }, 'id-b': { State: 'Disabled' } });
  expect(await mappings.list()).toEqual([
    { kind: 'a', enabled: true, maxConcurrency: 7, changing: false },
    { kind: 'b', enabled: false, maxConcurrency: undefined, changing: false },
  ]);
});

it.each([
  ['Creating', true],
  ['Enabling', true],
  ['Updating', true],
  ['Disabling', false],
  ['Deleting', false],
])('takes a mapping that is %s for changing, and on or off by where it goes', async (State, enabled) => {
  const { mappings } = bench({ 'id-a': { State } });
  expect((await mappings.list())[0]).toMatchObject({ enabled, changing: true });
});

it('turns one mapping on with its concurrency, and off', async () => {
  const { mappings, sent } = bench();
  await mappings.enable('a', 2);
  await mappings.disable('b');
  expect(sent).toEqual([
    { UUID: 'id-a', Enabled: true, ScalingConfig: { MaximumConcurrency: 2 } },
    { UUID: 'id-b', Enabled: false },
  ]);
});

it('says which kind has no mapping', async () => {
  await expect(bench().mappings.enable('c', 2)).rejects.toThrow('no mapping is known for job kind c');
});
