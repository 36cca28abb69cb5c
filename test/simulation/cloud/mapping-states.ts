import type { World } from '../kernel/world.ts';
import type { RestAnswer, RestCall } from '../network/rest-call.ts';
import { lambdaError } from '../network/rest-faults.ts';
import type { QueueMapping } from './queue-mapping.ts';

type State = 'Enabled' | 'Disabled' | 'Enabling' | 'Disabling' | 'Updating';

interface Settings {
  readonly Enabled?: boolean;
  readonly ScalingConfig?: { readonly MaximumConcurrency?: number };
}

export interface MappingStatesParts {
  readonly world: World;
  /** By the id its governor knows it by. */
  readonly mappings: ReadonlyMap<string, QueueMapping>;
  /** A mapping has come to where it was sent. */
  readonly onSettled: () => void;
}

const SETTLE_MS = { shortest: 2_000, longest: 40_000 };
const CONCURRENCY = { least: 2, most: 1000 };

/**
 * Lambda's API for event source mappings. A change takes effect a while after it was accepted; until then the mapping consumes as
 * before and takes no other change.
 */
export function createMappingStates({ world, mappings, onSettled }: MappingStatesParts): { handle(call: RestCall): RestAnswer } {
  const changing = new Map<string, { readonly state: State; readonly maxConcurrency: number }>();

  const change = (id: string, mapping: QueueMapping, settings: Settings): RestAnswer => {
    const enabled = settings.Enabled ?? mapping.enabled;
    const maxConcurrency = settings.ScalingConfig?.MaximumConcurrency ?? mapping.maxConcurrency;
    if (changing.has(id)) return lambdaError(409, 'ResourceInUseException');
    if (maxConcurrency < CONCURRENCY.least || maxConcurrency > CONCURRENCY.most) return lambdaError(400, 'InvalidParameterValueException');
    const state = !enabled ? 'Disabling' : mapping.enabled ? 'Updating' : 'Enabling';
    changing.set(id, { state, maxConcurrency });
    world.after(world.chance.between(SETTLE_MS.shortest, SETTLE_MS.longest), () => {
      changing.delete(id);
      Object.assign(mapping, { enabled, maxConcurrency });
      world.log(`${id} is ${enabled ? `enabled at ${maxConcurrency}` : 'disabled'}`);
      mapping.poke();
      onSettled();
    });
    return described(id, mapping);
  };
  const described = (id: string, mapping: QueueMapping): RestAnswer => {
    const { state, maxConcurrency } = changing.get(id) ?? { state: mapping.enabled ? 'Enabled' : 'Disabled', ...mapping };
    const { batchSize } = mapping.definition;
    return answer({ UUID: id, State: state, BatchSize: batchSize, ScalingConfig: { MaximumConcurrency: maxConcurrency } });
  };
  return {
    handle({ operation, subject: id, body }) {
      const mapping = mappings.get(id);
      if (mapping === undefined) return lambdaError(404, 'ResourceNotFoundException');
      return operation === 'GetEventSourceMapping' ? described(id, mapping) : change(id, mapping, JSON.parse(body.toString()) as Settings);
    },
  };
}

const answer = (output: object): RestAnswer => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(output)),
});
