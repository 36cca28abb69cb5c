import { Readable } from 'node:stream';
import { type RestCall, restCallOf, type SdkRequest } from '../../simulation/network/rest-call.ts';
import type { Answer } from '../fake-aws/aws-error.ts';
import { type Call, createHttpHandler, type RequestHandler } from '../fake-aws/wire.ts';
import type { Meter } from '../meter/meter.ts';
import { usedOfObjects } from '../meter/used-by-call.ts';
import type { ObjectStore } from '../object-store.ts';

interface AccountServices {
  readonly meter: Meter;
  readonly objects: ObjectStore;
  /** DynamoDB and SQS. */
  readonly serve: (call: Call) => Answer;
  /** How long the way there and back takes. */
  readonly travel: (service: Call['service'] | RestCall['service']) => Promise<void>;
}

type JsonRequest = Parameters<RequestHandler['handle']>[0];

/** What every SDK client of the account sends through: served at once and counted, answered when the way back is over. */
export function createAccountRequests({ meter, objects, serve, travel }: AccountServices): RequestHandler {
  const json = createHttpHandler(async (call) => {
    await travel(call.service);
    return serve(call);
  });
  const rest = async (request: SdkRequest) => {
    const call = restCallOf(request);
    await travel(call.service);
    meter.add(usedOfObjects(call.method));
    const { body, ...answer } = objects.handle(call);
    return { response: { ...answer, body: Readable.from([body]) } };
  };
  const handle = (request: SdkRequest & JsonRequest) =>
    request.headers['x-amz-target'] === undefined ? rest(request) : json.handle(request);
  return { ...json, handle } as unknown as RequestHandler;
}
