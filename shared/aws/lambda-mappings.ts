import { GetEventSourceMappingCommand, type LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import type { Mapping, MappingControl } from '#shared/control/mapping-control.ts';

const ON = ['Enabled', 'Enabling', 'Creating', 'Updating'];
const CHANGING = ['Creating', 'Enabling', 'Disabling', 'Updating', 'Deleting'];

/**
 * @param ids job kind → id of the event source mapping that feeds its worker. Each is asked for by its id: a right to list
 * could not be limited to these.
 */
export function createLambdaMappings(client: LambdaClient, ids: Readonly<Record<string, string>>): MappingControl {
  const idOf = (kind: string): string => {
    const id = ids[kind];
    if (id === undefined) throw new Error(`no mapping is known for job kind ${kind}; deploy the pipeline stack again`);
    return id;
  };
  const update = (kind: string, settings: { Enabled: boolean; ScalingConfig?: { MaximumConcurrency: number } }) =>
    client.send(new UpdateEventSourceMappingCommand({ UUID: idOf(kind), ...settings }));
  return {
    list: () => Promise.all(Object.keys(ids).map((kind) => readMapping(client, kind, idOf(kind)))),
    enable: async (kind, maxConcurrency) =>
      void (await update(kind, { Enabled: true, ScalingConfig: { MaximumConcurrency: maxConcurrency } })),
    disable: async (kind) => void (await update(kind, { Enabled: false })),
  };
}

async function readMapping(client: LambdaClient, kind: string, id: string): Promise<Mapping> {
  const { State = '', ScalingConfig } = await client.send(new GetEventSourceMappingCommand({ UUID: id }));
  return { kind, enabled: ON.includes(State), maxConcurrency: ScalingConfig?.MaximumConcurrency, changing: CHANGING.includes(State) };
}
