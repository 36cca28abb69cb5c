import { PRICES } from '#shared/contract/prices.ts';
import { FUNCTION_GB } from '../../cli/cost/price-bill.ts';

/** US dollars an operation, as published; free allowances and plans' base fees left out. */
export const PEER_PRICES = {
  asOf: '2026-11-30',
  stepTransition: { dollars: 0.000025, source: 'AWS Step Functions pricing, Standard: $0.025 for 1,000 transitions' },
  expressRequest: { dollars: 0.000001, source: 'AWS Step Functions pricing, Express: $1.00 for a million requests' },
  expressGbSecond: { dollars: 0.00001667, source: 'AWS Step Functions pricing, Express: GB-seconds, in steps of 100 ms and 64 MB' },
  durableOperation: { dollars: 0.000008, source: 'AWS Lambda pricing, durable functions: $8.00 for a million operations' },
  durableGb: { dollars: 0.25, source: 'AWS Lambda pricing, durable functions: a GB written' },
  durableGbMonth: { dollars: 0.15, source: 'AWS Lambda pricing, durable functions: a GB kept for a month' },
  temporalAction: { dollars: 0.00005, source: 'Temporal Cloud pricing: $50 for the first millions of actions' },
  inngestExecution: { dollars: 0.00005, source: 'Inngest pricing, Pro: $50 for a million executions' },
  restateAction: { dollars: 0.000025, source: 'Restate Cloud pricing: $25 for a million actions' },
  triggerRun: { dollars: 0.000025, source: 'Trigger.dev pricing: $0.25 for 10,000 runs' },
  triggerSecond: { dollars: 0.0000169, source: 'Trigger.dev pricing: a second of the machine micro' },
} as const;

export interface PeerCost {
  readonly name: string;
  /** Our count of what it bills for one order. */
  readonly operations: string;
  readonly dollarsPerMillion: number;
}

const MILLION = 1_000_000;
const WRITE_MS = 8;
const START_MS = 50;
const EXPRESS_GB = 0.0625;
const KEPT_MONTHS = 14 / 30;
const KEPT_GB = 0.000003;

/**
 * What others bill for the same work: one order charged once, with as many writes of its own state as it needs.
 *
 * Does not protect against what they do besides: histories, signals and dashboards come with their price, and machines that run
 * the code of Temporal, Inngest and Restate are not in it.
 */
export function peerCosts(providerMs: number): PeerCost[] {
  const price = (name: Exclude<keyof typeof PEER_PRICES, 'asOf'>): number => PEER_PRICES[name].dollars;
  // A function that is not batched waits for its provider alone.
  const run = ((3 + providerMs + 2 * WRITE_MS) / 1_000) * FUNCTION_GB * PRICES.gbSecond + PRICES.invocation;
  const writes = (count: number): number => count * PRICES.writeUnit;
  const expressSeconds = Math.ceil((providerMs + START_MS) / 100) / 10;
  const peers: [string, string, number][] = [
    [
      'Step Functions Express',
      '1 request, its duration at 64 MB, 1 Lambda run, 3 writes',
      price('expressRequest') + expressSeconds * EXPRESS_GB * price('expressGbSecond') + run + writes(3),
    ],
    [
      'Lambda durable functions',
      '3 operations (start, 2 steps), 3 KB kept 14 days, 1 Lambda run, 2 writes, 1.2 SQS requests',
      3 * price('durableOperation') +
        KEPT_GB * (price('durableGb') + KEPT_MONTHS * price('durableGbMonth')) +
        run +
        writes(2) +
        1.2 * PRICES.queueRequest,
    ],
    [
      'Trigger.dev',
      '1 run, its seconds on the smallest machine',
      price('triggerRun') + ((providerMs + START_MS) / 1_000) * price('triggerSecond'),
    ],
    ['Restate Cloud', '4 actions (2 invocations, 2 steps)', 4 * price('restateAction')],
    ['Step Functions Standard', '4 transitions, 1 Lambda run, 3 writes', 4 * price('stepTransition') + run + writes(3)],
    ['Temporal Cloud', '3 actions (start, 2 activities)', 3 * price('temporalAction')],
    ['Inngest', '3 executions (run, 2 steps)', 3 * price('inngestExecution')],
  ];
  return peers.map(([name, operations, dollars]) => ({ name, operations, dollarsPerMillion: dollars * MILLION }));
}
