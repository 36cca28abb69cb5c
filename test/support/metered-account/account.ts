import { jobs } from '#shared/jobs/index.ts';
import type { Clock } from '#shared/runtime/clock.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import type { System } from '#shared/runtime/system.ts';
import { functionsOf, type JobQueueDefinition, jobQueueOf } from '../../simulation/cloud/functions.ts';
import { TABLES } from '../../simulation/cloud/names.ts';
import { createQueues, queuesOf } from '../../simulation/cloud/queues.ts';
import { SDK_CONFIG } from '../../simulation/network/sdk-config.ts';
import type { Answer } from '../fake-aws/aws-error.ts';
import { createFakeDynamodb, type FakeDynamodb } from '../fake-aws/fake-dynamodb.ts';
import { createFakeSqs, type FakeSqs } from '../fake-aws/fake-sqs.ts';
import { plainTable, stateTable } from '../fake-aws/project-tables.ts';
import type { Call } from '../fake-aws/wire.ts';
import { createMeter, type Meter } from '../meter/meter.ts';
import { watchServices } from '../meter/watch-services.ts';
import { createObjectStore, type ObjectStore } from '../object-store.ts';
import { createVirtualTime } from '../virtual-time.ts';
import { createAccountRequests } from './account-requests.ts';
import { createProvider, type Provider } from './provider.ts';

export interface Latencies {
  readonly tableMs: number;
  readonly queueMs: number;
  readonly objectMs: number;
  readonly providerMs: number;
}
const NO_LATENCY: Latencies = { tableMs: 0, queueMs: 0, objectMs: 0, providerMs: 0 };

export interface AccountOptions {
  readonly latencies?: Partial<Latencies>;
  /** Left out: virtual time, which passes only while everybody waits for it. */
  readonly clock?: Clock;
}

/** The deployed functions as they are wired on Lambda, over state machines, and a meter on everything. No stream or queue moves by itself. */
export interface MeteredAccount {
  readonly meter: Meter;
  readonly dynamodb: FakeDynamodb;
  readonly sqs: FakeSqs;
  readonly objects: ObjectStore;
  readonly provider: Provider;
  readonly queues: readonly JobQueueDefinition[];
  readonly clock: Clock;
  /** A request of the account itself (a mapping's poller), counted like the functions' own. */
  send(call: Call): Answer;
  invoke(functionName: string, event: object): Promise<unknown>;
  /** Lets so much virtual time pass. */
  pass(durationMs: number): Promise<void>;
}

type Handler = (event: object, context: { getRemainingTimeInMillis(): number }) => Promise<unknown>;

/** What Powertools adds to a line: instant, level, request, function, memory. */
const ENVELOPE_BYTES = 400;
/** The platform's START, END and REPORT of an invocation. */
const PLATFORM_BYTES = 350;
/** Event-loop turns that an SDK call may take without time passing. */
const TURNS = 12;

export function createMeteredAccount({ latencies: given = {}, clock: realClock }: AccountOptions = {}): MeteredAccount {
  const latencies = { ...NO_LATENCY, ...given };
  const time = createVirtualTime({ turns: TURNS });
  const clock = realClock ?? wholeMs(time.clock());
  const meter = createMeter();
  const dynamodb = createFakeDynamodb({ now: clock.nowMs });
  const sqs = createFakeSqs({ now: clock.nowMs });
  const objects = createObjectStore();
  const queues = jobs.map(jobQueueOf);
  createTables(dynamodb);
  createQueues(sqs, queuesOf(queues));
  const watch = watchServices(meter, dynamodb);
  const send = (call: Call): Answer => watch(call, () => (call.service === 'dynamodb' ? dynamodb : sqs).handle(call.operation, call.input));
  const travelMs = { dynamodb: latencies.tableMs, sqs: latencies.queueMs, s3: latencies.objectMs, lambda: 0 };
  const travel = async (service: keyof typeof travelMs): Promise<void> => {
    if (travelMs[service] > 0) await clock.sleep(travelMs[service]);
  };
  const requestHandler = createAccountRequests({ meter, objects, serve: send, travel });
  const provider = createProvider(clock, latencies.providerMs);
  const system = createSystem({ clock, requestHandler, provider, meter });
  const functions = functionsOf(queues);
  const handlers = new Map<string, Handler>();
  const run = async (functionName: string, event: object): Promise<unknown> => {
    const definition = functions.get(functionName);
    if (definition === undefined) throw new Error(`the account has no function ${functionName}`);
    const handler = handlers.get(functionName) ?? (definition.wire(system(definition.environment)) as Handler);
    handlers.set(functionName, handler);
    const startedAtMs = clock.nowMs();
    const context = { getRemainingTimeInMillis: () => startedAtMs + definition.timeoutMs - clock.nowMs() };
    try {
      return await handler(event, context);
    } finally {
      meter.add({ invocations: 1, functionMs: clock.nowMs() - startedAtMs, logBytes: PLATFORM_BYTES });
    }
  };
  return {
    meter,
    dynamodb,
    sqs,
    objects,
    provider,
    queues,
    clock,
    send,
    pass: (durationMs) => time.runUntil(time.nowMs + durationMs),
    async invoke(functionName, event) {
      const running = run(functionName, event);
      if (realClock === undefined) await time.run(running);
      return running;
    },
  };
}

/** A clock shows whole milliseconds, whatever parts of one somebody slept. */
const wholeMs = ({ nowMs, sleep }: Clock): Clock => ({ nowMs: () => Math.floor(nowMs()), sleep });

function createTables(dynamodb: FakeDynamodb): void {
  dynamodb.createTable(stateTable(TABLES.state));
  dynamodb.createTable(plainTable(TABLES.control, ['id']));
  dynamodb.createTable(plainTable(TABLES.cache, ['key']));
  dynamodb.createTable(plainTable(TABLES.mail, ['deliveryKey', 'deliveryId']));
}

interface Parts {
  readonly clock: Clock;
  readonly requestHandler: ReturnType<typeof createAccountRequests>;
  readonly provider: Provider;
  readonly meter: Meter;
}

/** Chance that is no chance: the middle of everything, and names that count up. */
function createSystem({ clock, requestHandler, provider, meter }: Parts): (environment: Readonly<Record<string, string>>) => System {
  let tokens = 0;
  const random = { fraction: () => 0.5, token: () => String(++tokens).padStart(20, '0') };
  return (environment) => ({
    environment,
    clock,
    random,
    sdk: { createRequestHandler: () => requestHandler, config: SDK_CONFIG },
    fetch: provider.fetch as typeof fetch,
    createLogger(service) {
      const write = (message: string, fields: Record<string, unknown>): void =>
        meter.add({ logBytes: ENVELOPE_BYTES + Buffer.byteLength(JSON.stringify({ service, message, ...fields })) });
      return { info: write, warn: write, error: write };
    },
    createMetrics,
  });
}
