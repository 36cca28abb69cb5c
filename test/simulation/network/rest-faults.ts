import { failedObject } from '../../support/object-store.ts';
import { type AwsFault, PROCESS_FAULTS } from './fault.ts';
import type { RestAnswer, RestCall } from './rest-call.ts';

const READS = new Set(['GetObject', 'GetEventSourceMapping']);

/** A conflict is another write of the same key, or of the same mapping, just now. */
export function possibleRestFaults({ operation, headers }: RestCall): AwsFault[] {
  const faults: AwsFault[] = ['refused', 'dropped', 'answer-lost', 'late', 'throttled', 'server-error', ...PROCESS_FAULTS];
  if (READS.has(operation)) return faults;
  const conflicts = operation === 'UpdateEventSourceMapping' || headers['if-none-match'] !== undefined;
  return [...faults, 'server-error-applied', ...(conflicts ? (['conflict'] as const) : [])];
}

/** @param run the service itself */
export function applyRest(call: RestCall, fault: AwsFault | undefined, run: () => RestAnswer): RestAnswer {
  const refusals = REFUSALS[call.service];
  switch (fault) {
    case 'throttled':
      return refusals.throttled;
    case 'conflict':
      return refusals.conflict;
    case 'server-error':
      return refusals.broken;
    case 'server-error-applied':
      run();
      return refusals.broken;
    default:
      return run();
  }
}

/** An error as Lambda's API spells it. */
export const lambdaError = (statusCode: number, name: string): RestAnswer => ({
  statusCode,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': name },
  body: Buffer.from(JSON.stringify({ Type: statusCode < 500 ? 'User' : 'Service', message: `${name} (simulated)` })),
});

const REFUSALS = {
  s3: {
    throttled: failedObject(503, 'SlowDown'),
    conflict: failedObject(409, 'ConditionalRequestConflict'),
    broken: failedObject(500, 'InternalError'),
  },
  lambda: {
    throttled: lambdaError(429, 'TooManyRequestsException'),
    conflict: lambdaError(409, 'ResourceInUseException'),
    broken: lambdaError(500, 'ServiceException'),
  },
};
