import { METRIC_NAMESPACE } from '#shared/contract/metric-names.ts';
import { deadLetterQueueOf } from '../../simulation/cloud/names.ts';
import type { QueueMapping } from '../../simulation/cloud/queue-mapping.ts';
import type { Invariant } from '../../simulation/invariant.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { Message } from '../fake-aws/fake-sqs.ts';
import type { Sample } from './alarm-evaluator.ts';

const MINUTE_MS = 60_000;
/** SQS leaves a message that came back so often out of a queue's age. */
const RECEIVES_COUNTED = 3;

/**
 * What CloudWatch would have got in a run: our own metrics as the functions write them, and each minute what SQS, Lambda and the stream
 * say of themselves. A queue says nothing before its first message.
 */
export function measuring(samples: Sample[], forMs: number): Invariant {
  return {
    id: 'measured',
    promise: 'is no promise',
    watch(simulation, enough) {
      const { world } = simulation;
      const endsAtMs = world.nowMs + forMs;
      const note = (namespace: string, name: string, dimensions: Sample['dimensions'], value: number): void =>
        void samples.push({ namespace, name, dimensions, atMs: world.nowMs, value });
      const spoken = new Set<string>();
      const eachMinute = (): void => {
        for (const mapping of simulation.mappings.values())
          for (const queueName of [mapping.definition.queueName, deadLetterQueueOf(mapping.definition.queueName)])
            sampleQueue(simulation.sqs.messages(queueName), queueName, world.nowMs, { spoken, note });
        // By which silence is heard.
        note('AWS/Usage', 'MinutesPassed', {}, 1);
        sampleFunctions(simulation, note);
        sampleSchedules(simulation, note);
        if (world.nowMs < endsAtMs) world.after(MINUTE_MS, eachMinute);
        else enough('everything was seen');
      };
      world.after(MINUTE_MS - 1, eachMinute);
      return {
        counted: (_service, name, value, dimensions) => note(METRIC_NAMESPACE, name, { ...dimensions }, value),
        invocationEnded: (functionName, _process, end) => {
          if (functionName in SCHEDULED_MS && end.how !== 'returned') note('AWS/Lambda', 'Errors', { FunctionName: functionName }, 1);
        },
        // Told of right before the invocation begins.
        messagesDelivered: (queueName) => noteRunning(simulation, simulation.mappings.get(queueName), note, 1),
      };
    },
  };
}

/** How often their schedule in the account runs them. The simulator leaves out runs that would find nothing to do. */
const SCHEDULED_MS: Readonly<Record<string, number>> = {
  'rescue-jobs': MINUTE_MS,
  'govern-queues': MINUTE_MS,
  'sweep-state': 5 * MINUTE_MS,
  'verify-cache': 5 * MINUTE_MS,
};

function sampleSchedules({ schedules, world }: Simulation, note: Note): void {
  if (schedules.stopped) return;
  for (const [FunctionName, everyMs] of Object.entries(SCHEDULED_MS))
    if (Math.ceil(world.nowMs / MINUTE_MS) % (everyMs / MINUTE_MS) === 0) note('AWS/Lambda', 'Invocations', { FunctionName }, 1);
}

type Note = (namespace: string, name: string, dimensions: Sample['dimensions'], value: number) => void;

function sampleQueue(
  messages: readonly Message[],
  queueName: string,
  nowMs: number,
  { spoken, note }: { readonly spoken: Set<string>; readonly note: Note },
): void {
  if (messages.length > 0) spoken.add(queueName);
  if (!spoken.has(queueName)) return;
  const QueueName = queueName;
  const visible = messages.filter(({ visibleAtMs }) => visibleAtMs <= nowMs).length;
  const counted = messages.filter(({ receives }) => receives <= RECEIVES_COUNTED);
  const ageMs = counted.reduce((oldest, { sentAtMs }) => Math.max(oldest, nowMs - sentAtMs), 0);
  note('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName }, visible);
  note('AWS/SQS', 'ApproximateNumberOfMessagesNotVisible', { QueueName }, messages.length - visible);
  note('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName }, ageMs / 1000);
}

function noteRunning({ lambda }: Simulation, mapping: QueueMapping | undefined, note: Note, starting = 0): void {
  if (mapping === undefined) return;
  const FunctionName = mapping.definition.functionName;
  note('AWS/Lambda', 'ConcurrentExecutions', { FunctionName }, lambda.running(FunctionName) + starting);
}

function sampleFunctions(simulation: Simulation, note: Note): void {
  for (const mapping of simulation.mappings.values())
    if (simulation.lambda.running(mapping.definition.functionName) > 0) noteRunning(simulation, mapping, note);
  for (const { definition, waiting, oldestAtMs } of simulation.streams)
    if (waiting > 0 && oldestAtMs !== undefined)
      note('AWS/Lambda', 'IteratorAge', { FunctionName: definition.functionName }, simulation.world.nowMs - oldestAtMs);
}
