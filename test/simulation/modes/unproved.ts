import { definitionOf } from '../scenario/own-kind.ts';
import type { Campaign } from './campaign.ts';
import type { Options } from './options.ts';
import { OWN_JOB_DONE } from './required-situations.ts';
import { commandOf, type PlannedFault, type Played } from './run-case.ts';
import type { Tried } from './tried.ts';
import { leftOut } from './without-orders.ts';

/** What became of the faults that were planned for a campaign's runs. */
export interface Plans {
  add(played: Played): void;
  /** Runs in which some did not strike. */
  readonly missed: readonly Played[];
}

export function createPlans(): Plans {
  const missed: Played[] = [];
  return {
    missed,
    add: (played) => void (played.hash !== '' && idleIn(played).length > 0 && missed.push(played)),
  };
}

const idleIn = ({ runCase, struck }: Played): PlannedFault[] =>
  (runCase.faults ?? []).filter(
    (planned) =>
      !struck.some(
        (one) =>
          one.fault === planned.fault && ('at' in planned ? one.at === planned.at : one.label === planned.label && one.nth === planned.nth),
      ),
  );

interface Noted {
  readonly plans: Plans;
  readonly tried: Tried | undefined;
}

/** A campaign that did less than it was asked for proves less than people take it to prove; each of these says what, in a sentence. */
export const unprovedBy = (given: Options, campaign: Campaign, { plans, tried }: Noted): string[] => [
  ...ownKind(given, campaign),
  ...plannedFaults(plans),
  ...orders(given, campaign),
  ...(tried === undefined ? [] : cases(given, tried)),
];

/** Where each run broke a promise, that comes first. */
function ownKind({ kind }: Options, { runs, failures, coverage: { situations } }: Campaign): string[] {
  if (kind === undefined || failures.length === runs) return [];
  if (!situations.has(OWN_JOB_DONE))
    return [
      `In ${runs} ${runs === 1 ? 'run' : 'runs'} the job was never done: ${ends(situations)}. Nothing was proved about what ${kind} does; give it a --payload and an --item that it can work with.`,
    ];
  const { dependency } = definitionOf(kind);
  const hasCalled = [...situations.keys()].some((name) => name.startsWith('provider answers '));
  return dependency === undefined || hasCalled
    ? []
    : [
        `${kind} was done without one call of its ${dependency}. Nothing was proved about what it does there; give it an --item that needs it.`,
      ];
}

/** Letters in place of records: a job that touches no item has no record. */
function ends(situations: ReadonlyMap<string, number>): string {
  const reasons = [...situations].filter(([name]) => name.startsWith('letter: '));
  if (reasons.length === 0) return 'it came to no end at all';
  const letters = reasons.reduce((sum, [, times]) => sum + times, 0);
  return `it was given up ${times(letters)} (${reasons.map(([name]) => name.slice('letter: '.length)).join(', ')})`;
}

const times = (number: number): string => (number === 1 ? 'once' : `${number} times`);

/** What is missed is missed for the same reason as a rule. */
const MOST_SHOWN = 5;

function plannedFaults({ missed }: Plans): string[] {
  const [first] = missed;
  if (first === undefined) return [];
  const idle = idleIn(first);
  const [planned, more] = [first.runCase.faults?.length ?? 0, idle.length - MOST_SHOWN];
  const shown = idle.slice(0, MOST_SHOWN).map((one) => `${nameOf(one)} (${whyIdle(one, first)})`);
  const elsewhere = missed.length === 1 ? '' : ` That is so in ${missed.length} runs; this is of ${commandOf(first.runCase)}.`;
  return [
    `${idle.length} of ${planned} planned ${planned === 1 ? 'fault' : 'faults'} did not strike: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.${elsewhere} Nothing was proved about ${idle.length === 1 ? 'it' : 'them'}.`,
  ];
}

const nameOf = (one: PlannedFault): string => ('at' in one ? `${one.at}:${one.fault}` : `'${one.label}#${one.nth}:${one.fault}'`);

function whyIdle(one: PlannedFault, { met, points = [], struck }: Played): string {
  if ('label' in one) {
    const often = met[one.label] ?? 0;
    if (often < one.nth) return often === 0 ? 'there is no such point' : `there are ${often} of this point`;
    return 'not possible there, or the storm was over';
  }
  const possible = points[one.at];
  if (possible === undefined) return `the run has ${points.length} points, counted from 0`;
  if (struck.some(({ at }) => at === one.at)) return 'another one struck there';
  return possible.some((fault) => fault === one.fault) ? 'the storm was over' : `possible there: ${possible.join(', ')}`;
}

/** A part of all pairs may by chance be one that begins none; all of them may not. */
function cases({ pairs, part }: Options, { withoutFault, withOne, withTwo }: Tried): string[] {
  if (part !== undefined && withoutFault + withOne + withTwo === 0)
    return [`Part ${part.number} of ${part.of} is empty: there are fewer cases than parts. Ask for fewer parts, or for a larger sample.`];
  return part === undefined && pairs === true && withTwo === 0 ? ['No pair of faults was played. Ask for a larger sample.'] : [];
}

function orders({ withoutOrders = [] }: Options, { runs, coverage: { situations } }: Campaign): string[] {
  const idle = withoutOrders.filter((number) => !situations.has(leftOut(number)));
  if (idle.length === 0 || runs === 0) return [];
  const [one, where] = [idle.length === 1, runs === 1 ? 'not placed in this run' : `placed in none of these ${runs} runs`];
  return [
    `${one ? 'Order' : 'Orders'} ${idle.join(', ')} ${one ? 'is' : 'are'} ${where}: leaving ${one ? 'it' : 'them'} out changed nothing.`,
  ];
}
