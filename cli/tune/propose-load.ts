import { THRESHOLD } from '#shared/breaker/circuit-breaker.ts';
import type { Measured } from './measure.ts';
import { LEAST_RUNS, type ProposedValue } from './propose.ts';

/** What stands before a dependency: how many failures open its circuit, and how often it is called. */
export interface LoadProposal {
  readonly dependency: string;
  readonly values: readonly ProposedValue[];
}

const MOST_FAILURES = 10;
/** Failures that only happen to come one after the other should open the circuit less than once in this many runs. */
const RUNS_WITHOUT_FALSE_ALARM = 10_000_000;
/** Of all runs: fewer put off are bursts, which a limit is for. */
const OFTEN = 0.01;
const RAISED = 1.5;
const LOWERED = 0.8;

/** @param measured of every kind behind the dependency @param callsPerSecond as deployed; undefined where it is not known */
export function proposeLoad(dependency: string, measured: readonly Measured[], callsPerSecond: number | undefined): LoadProposal {
  const sum = (of: (one: Measured) => number): number => measured.reduce((total, one) => total + of(one), 0);
  const totals = {
    runs: sum(({ runs }) => runs),
    callFailed: sum(({ callFailed }) => callFailed),
    circuitOpen: sum(({ circuitOpen }) => circuitOpen),
    refusedForRate: sum(({ refusedForRate }) => refusedForRate),
    rateLimited: sum(({ rateLimited }) => rateLimited),
    mostPerSecond: sum(({ mostPerSecond }) => mostPerSecond),
  };
  return { dependency, values: [thresholdOf(totals), ...(callsPerSecond === undefined ? [] : [rateOf(totals, callsPerSecond)])] };
}

type Totals = Pick<Measured, 'runs' | 'callFailed' | 'circuitOpen' | 'refusedForRate' | 'rateLimited' | 'mostPerSecond'>;

const NEEDED = `${LEAST_RUNS} are needed`;

function thresholdOf({ runs, callFailed, circuitOpen }: Totals): ProposedValue {
  const value = { name: 'failures that open the circuit', now: THRESHOLD };
  if (runs < LEAST_RUNS) return { ...value, proposed: null, because: `${runs} runs, ${NEEDED}` };
  const failed = `${callFailed} of ${runs} runs failed at the dependency`;
  // Failures of an outage come together; their share says nothing about those of a healthy day.
  if (circuitOpen > 0) return { ...value, proposed: null, because: `${failed}, in an outage: the circuit was open for ${circuitOpen}` };
  const needed = Array.from({ length: MOST_FAILURES }, (_, index) => index + 1).find(
    (count) => RUNS_WITHOUT_FALSE_ALARM * (callFailed / runs) ** count < 1,
  );
  const proposed = Math.max(THRESHOLD, needed ?? MOST_FAILURES);
  return { ...value, proposed: proposed === THRESHOLD ? null : proposed, because: failed };
}

function rateOf({ runs, refusedForRate, rateLimited, mostPerSecond }: Totals, callsPerSecond: number): ProposedValue {
  const value = { name: 'calls a second', now: callsPerSecond };
  if (runs < LEAST_RUNS) return { ...value, proposed: null, because: `${runs} runs, ${NEEDED}` };
  const most = `at most ${mostPerSecond} runs began in a second`;
  if (refusedForRate > 0) {
    const proposed = Math.max(1, Math.floor(Math.min(callsPerSecond, mostPerSecond) * LOWERED));
    return {
      ...value,
      proposed: proposed < callsPerSecond ? proposed : null,
      because: `refused as too many ${refusedForRate} times; ${most}`,
    };
  }
  if (rateLimited > runs * OFTEN)
    return {
      ...value,
      proposed: Math.ceil(callsPerSecond * RAISED),
      because: `${rateLimited} of ${runs} runs were put off and none refused; ${most}. Only if the provider allows it`,
    };
  return { ...value, proposed: null, because: `${rateLimited} of ${runs} runs were put off; ${most}` };
}
