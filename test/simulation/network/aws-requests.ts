import { Readable } from 'node:stream';
import type { CallLimits, SdkOptions } from '#shared/aws/sdk-options.ts';
import { type Answer, AwsError } from '../../support/fake-aws/aws-error.ts';
import { conflictAnswer, withoutEntries, withoutKey } from '../../support/fake-aws/fault.ts';
import { type Call, createHttpHandler, type RequestHandler } from '../../support/fake-aws/wire.ts';
import { type CarryFault, carry, type Network } from './carry.ts';
import { type AwsFault, PROCESS_FAULTS } from './fault.ts';
import { labelOf } from './labels.ts';
import { type RestAnswer, type RestCall, restCallOf, type SdkRequest } from './rest-call.ts';
import { applyRest, possibleRestFaults } from './rest-faults.ts';

/** The state machines behind the requests. */
export interface AwsServices {
  /** @param changesBehind a read that is not consistent sees its table as it was so many changes ago */
  apply(call: Call, changesBehind: number, by: string): Answer;
  applyRest(call: RestCall): RestAnswer;
}

/** What AWS clients are made of in the simulation: everything of the SDK is real above this. */
export function createAwsRequests(network: Network, services: AwsServices, who: string): NonNullable<SdkOptions['createRequestHandler']> {
  return ({ requestTimeout }: CallLimits): RequestHandler => {
    const send = async <Given>(
      label: string,
      possible: readonly AwsFault[],
      apply: (fault: AwsFault | undefined) => Given,
    ): Promise<Given> => {
      const fault = network.faults.strike(label, possible);
      const carried = await carry(network, {
        label,
        fault: fault as CarryFault | undefined,
        timeoutMs: requestTimeout,
        apply: () => apply(fault),
      });
      if ('answer' in carried) return carried.answer;
      throw connectionError(carried.failed);
    };
    const json = createHttpHandler((call) => {
      const by = network.world.current?.name ?? who;
      return send(labelOf(who, call), possibleFaults(call), (fault) => applyWith(services, call, fault, network, by));
    });
    const rest = async (request: SdkRequest) => {
      const call = restCallOf(request);
      const label = `${who} ${call.operation} ${call.subject}`;
      const answer = await send(label, possibleRestFaults(call), (fault) => applyRest(call, fault, () => services.applyRest(call)));
      // A body that may be read piece by piece has to come as a stream.
      return { response: { ...answer, body: call.service === 's3' ? Readable.from([answer.body]) : answer.body } };
    };
    const handle = (request: SdkRequest & JsonRequest) =>
      request.headers['x-amz-target'] === undefined ? rest(request) : json.handle(request);
    return { ...json, handle } as unknown as RequestHandler;
  };
}

type JsonRequest = Parameters<RequestHandler['handle']>[0];

const READS = new Set(['GetItem', 'Query', 'Scan']);

const ANY: readonly AwsFault[] = ['refused', 'dropped', 'answer-lost', 'late', 'throttled', 'server-error', ...PROCESS_FAULTS];
const POSSIBLE = {
  batchRead: [...ANY, 'keys-unprocessed'],
  read: [...ANY, 'stale-read'],
  send: [...ANY, 'server-error-applied'],
  batchSend: [...ANY, 'server-error-applied', 'entry-failed'],
  write: [...ANY, 'server-error-applied', 'conflict'],
} as const satisfies Record<string, readonly AwsFault[]>;

function possibleFaults({ service, operation, input }: Call): readonly AwsFault[] {
  if (operation === 'BatchGetItem') return POSSIBLE.batchRead;
  if (READS.has(operation)) return input.ConsistentRead === true || input.IndexName !== undefined ? ANY : POSSIBLE.read;
  if (service === 'sqs') return Array.isArray(input.Entries) ? POSSIBLE.batchSend : POSSIBLE.send;
  return POSSIBLE.write;
}

function applyWith(services: AwsServices, call: Call, fault: AwsFault | undefined, { world }: Network, by: string): Answer {
  const run = (input: Record<string, unknown> = call.input): Answer => services.apply({ ...call, input }, 0, by);
  switch (fault) {
    case 'throttled':
      return refusal(call.service === 'sqs' ? 'RequestThrottled' : 'ProvisionedThroughputExceededException', 400);
    case 'server-error':
      return refusal(call.service === 'sqs' ? 'InternalError' : 'InternalServerError', 500);
    case 'server-error-applied':
      run();
      return refusal(call.service === 'sqs' ? 'InternalError' : 'InternalServerError', 500);
    case 'conflict':
      // Somebody else's transaction has the first of the items just now.
      return conflictAnswer(call, [0]);
    case 'entry-failed':
      return withoutEntries(call.input, { [world.chance.pick(call.input.Entries as { Id: string }[]).Id]: failedEntry(world.chance) }, run);
    case 'keys-unprocessed':
      return withoutKey(call.input, world.chance.pick, run);
    case 'stale-read':
      return services.apply(call, world.chance.whole(1, 3), by);
    default:
      return run();
  }
}

/** Mostly the service's fault; sometimes it calls a message wrong for good. */
const failedEntry = (chance: Network['world']['chance']) =>
  chance.happens(0.25) ? { Code: 'InvalidMessageContents', SenderFault: true } : { Code: 'InternalError', SenderFault: false };

const refusal = (name: string, status: number): Answer => ({
  error: new AwsError(name, `${name} (simulated)`, { status }),
});

const ERRORS = {
  refused: { name: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
  reset: { name: 'Error', code: 'ECONNRESET', message: 'socket hang up' },
  'timed-out': { name: 'TimeoutError', code: 'ETIMEDOUT', message: 'request timed out' },
};
function connectionError(how: keyof typeof ERRORS): Error {
  const { name, code, message } = ERRORS[how];
  return Object.assign(new Error(message), { name, code });
}
