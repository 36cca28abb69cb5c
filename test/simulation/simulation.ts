import { jobs } from '#shared/jobs/index.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import type { System } from '#shared/runtime/system.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { createFakeDynamodb, type FakeDynamodb } from '../support/fake-aws/fake-dynamodb.ts';
import { createFakeSqs, type FakeSqs } from '../support/fake-aws/fake-sqs.ts';
import { plainTable, stateTable } from '../support/fake-aws/project-tables.ts';
import type { Meter } from '../support/meter/meter.ts';
import { createObjectStore, type ObjectStore } from '../support/object-store.ts';
import { createServices, type Services } from './cloud/account.ts';
import { createCapturedLog, createCapturedMetrics } from './cloud/captured-output.ts';
import { functionsOf, type JobQueueDefinition, jobQueueOf } from './cloud/functions.ts';
import { createGenerations, type Generations } from './cloud/generations.ts';
import { createLambda, type Lambda } from './cloud/lambda.ts';
import { createMappingStates } from './cloud/mapping-states.ts';
import { mappingIdOf, TABLES } from './cloud/names.ts';
import { createQueueMapping, type QueueMapping } from './cloud/queue-mapping.ts';
import { createQueues, queuesOf, type RedrivenQueue } from './cloud/queues.ts';
import { createSchedules, type Schedules } from './cloud/schedules.ts';
import type { StreamMapping } from './cloud/stream-mapping.ts';
import { createStreamMappings } from './cloud/streams.ts';
import type { Invariant, Violation } from './invariant.ts';
import type { Process } from './kernel/process.ts';
import { createSignals, type Signals } from './kernel/signals.ts';
import type { World } from './kernel/world.ts';
import { createAwsRequests } from './network/aws-requests.ts';
import type { Network } from './network/carry.ts';
import type { Faults } from './network/fault.ts';
import { SDK_CONFIG } from './network/sdk-config.ts';
import { OBSERVER_METHODS, type Observer } from './observer.ts';
import { createMemoryLedger, type MemoryLedger } from './provider/memory-ledger.ts';
import { createProviderFetch } from './provider/provider-requests.ts';

export interface SimulationOptions {
  readonly world: World;
  readonly faults: Faults;
  readonly invariants: readonly Invariant[];
  /** Left out: the registry's. */
  readonly definitions?: readonly AnyJobDefinition[];
  /** Counts what the functions' requests cost. */
  readonly meter?: Meter | undefined;
  /** How wrong a new process's clock is. */
  readonly clockAheadMs?: () => number;
  /** Wraps what a process is wired to. */
  readonly adaptSystem?: ((simulation: Simulation, system: System, process: Process) => System) | undefined;
}

/** The whole pipeline in one account of one region, with everybody who watches it. */
export interface Simulation {
  readonly world: World;
  readonly faults: Faults;
  readonly network: Network;
  readonly dynamodb: FakeDynamodb;
  readonly sqs: FakeSqs;
  /** What export-orders wrote. */
  readonly objects: ObjectStore;
  readonly services: Services;
  readonly lambda: Lambda;
  readonly ledger: MemoryLedger;
  readonly jobQueues: readonly JobQueueDefinition[];
  readonly mappings: ReadonlyMap<string, QueueMapping>;
  readonly streams: readonly StreamMapping[];
  readonly schedules: Schedules;
  readonly generations: Generations;
  readonly signals: Signals<Observer>;
  readonly violations: Violation[];
  /** Situations worth knowing that they happened, by name. */
  readonly situations: Record<string, number>;
  happened(situation: string): void;
  /** What a process outside of Lambda (an operator's command) is wired to. */
  systemOf(who: string): System;
}

export function createSimulation(options: SimulationOptions): Simulation {
  const { world, faults, invariants, definitions = jobs } = options;
  const dynamodb = createFakeDynamodb({ now: () => world.nowMs });
  const sqs = createFakeSqs({ now: () => world.nowMs, staleReceipt: 'ignore' });
  const jobQueues = definitions.map(jobQueueOf);
  const queues = queuesOf(jobQueues);
  createTables(dynamodb);
  createQueues(sqs, queues);

  const violations: Violation[] = [];
  const observers: Observer[] = [];
  const signals = createSignals<Observer>(OBSERVER_METHODS, observers);
  const kill = (process: Process, why: string): void => simulation.lambda.kill(process, why);
  const network: Network = { world, faults, kill };
  const ledger = createMemoryLedger((movement) => signals.providerMoved(movement));
  const providerFetch = createProviderFetch({
    network,
    ledger,
    onCall: (call) => signals.providerCalled(call),
    onAnswer: (call, answer) => signals.providerAnswered(call, answer),
  });
  const systemOf = (who: string, environment: Readonly<Record<string, string>> = {}): System => ({
    environment,
    clock: systemClock,
    random: systemRandom,
    sdk: {
      createRequestHandler: createAwsRequests(network, services, who),
      config: SDK_CONFIG,
    },
    fetch: providerFetch(who) as typeof fetch,
    createLogger: (service) => createCapturedLog(service, signals),
    createMetrics: (service) => createCapturedMetrics(service, signals),
  });
  const functions = functionsOf(jobQueues);
  const generations = createGenerations([...functions.keys()], definitions);
  const lambda = createLambda({
    world,
    functions,
    systemFor: ({ name, environment }, process) => {
      const system = generations.adaptSystem(systemOf(name, environment), name, process);
      return options.adaptSystem?.(simulation, system, process) ?? system;
    },
    adaptEvent: generations.adaptEvent,
    clockAheadMs: options.clockAheadMs ?? (() => 0),
    onEnd: (functionName, process, end) => signals.invocationEnded(functionName, process, end),
  });
  const mappings = createQueueMappings({ world, faults, sqs, lambda, signals }, queues);
  const streams = createStreamMappings({ world, faults, lambda, onGivenUp: (name, record) => signals.streamRecordLost(name, record) });
  const schedules = createSchedules({ world, lambda, dynamodb, mappings });
  const objects = createObjectStore();
  const byId = new Map(
    definitions.map(({ kind }, index) => [mappingIdOf(kind), mappings.get(jobQueues[index]?.queueName ?? '') as QueueMapping]),
  );
  const mappingStates = createMappingStates({ world, mappings: byId, onSettled: () => schedules.poke(TABLES.control) });
  const services = createServices({
    world,
    dynamodb,
    sqs,
    signals,
    mappings,
    streams,
    schedules,
    objects,
    mappingStates,
    meter: options.meter,
  });
  const simulation: Simulation = {
    world,
    faults,
    network,
    dynamodb,
    sqs,
    objects,
    services,
    lambda,
    ledger,
    jobQueues,
    mappings,
    streams,
    schedules,
    generations,
    signals,
    violations,
    situations: {},
    happened(situation) {
      this.situations[situation] = (this.situations[situation] ?? 0) + 1;
    },
    systemOf: (who) => systemOf(who),
  };
  for (const invariant of invariants) observers.push(invariant.watch(simulation, violationsOf(invariant, simulation)));
  return simulation;
}

function violationsOf({ id }: Invariant, { violations, world }: Simulation): (how: string) => void {
  return (how) => {
    if (violations.some(({ invariant }) => invariant === id)) return;
    violations.push({ invariant: id, how, atMs: world.nowMs });
    world.log(`!! ${id} ${how}`);
  };
}

function createTables(dynamodb: FakeDynamodb): void {
  dynamodb.createTable(stateTable(TABLES.state));
  dynamodb.createTable(plainTable(TABLES.control, ['id']));
  dynamodb.createTable(plainTable(TABLES.cache, ['key']));
  dynamodb.createTable(plainTable(TABLES.mail, ['deliveryKey', 'deliveryId']));
}

type MappingParts = Pick<Simulation, 'world' | 'faults' | 'sqs' | 'lambda' | 'signals'>;

function createQueueMappings({ signals, ...parts }: MappingParts, queues: readonly RedrivenQueue[]): Map<string, QueueMapping> {
  const shared = { ...parts, onDelivered: signals.messagesDelivered, onDeleted: signals.messageDeleted };
  return new Map(queues.map((queue) => [queue.queueName, createQueueMapping(shared, queue)]));
}
