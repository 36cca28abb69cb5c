import type { Answer } from '../fake-aws/aws-error.ts';
import type { FakeDynamodb } from '../fake-aws/fake-dynamodb.ts';
import type { Call } from '../fake-aws/wire.ts';
import type { Meter } from './meter.ts';
import { usedOfQueue, usedOfTable } from './used-by-call.ts';

/**
 * Counts a request while the state machines serve it, where what it costs is known to the byte: below the SDK, so that every retry
 * counts, and above nothing, so that what never arrived does not.
 */
export const watchServices =
  (meter: Meter, { billed }: Pick<FakeDynamodb, 'billed'>) =>
  (call: Call, serve: () => Answer): Answer => {
    const before = { ...billed };
    const answer = serve();
    const units = { read: billed.read - before.read, write: billed.write - before.write };
    meter.add(call.service === 'sqs' ? usedOfQueue(call, answer) : usedOfTable(call, answer, units));
    return answer;
  };
