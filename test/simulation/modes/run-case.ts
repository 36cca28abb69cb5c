import * as z from 'zod';
import type { Fault } from '../network/fault.ts';

/** One fault that is planned: at the run's point of this number, or at the nth point of this name (counted from 1). */
const plannedFault = z.union([
  z.strictObject({ at: z.int().min(0), fault: z.string() }),
  z.strictObject({ label: z.string(), nth: z.int().min(1), fault: z.string() }),
]);
export type PlannedFault = Readonly<z.infer<typeof plannedFault>>;

/** Everything that decides a run. As plain data, so that it can be sent to a worker process, printed as a command and kept in the corpus. */
export const runCaseSchema = z.strictObject({
  mode: z.enum(['safety', 'exhaustive', 'liveness']),
  seed: z.int().min(0),
  /** In place of what the seed draws. */
  rate: z.number().min(0).max(1).optional(),
  /** Left out: the mode's own. */
  skew: z.boolean().optional(),
  /** In place of the weather: these and no others. */
  faults: z.array(plannedFault).readonly().optional(),
  /** Orders that nobody places. */
  withoutOrders: z.array(z.int()).readonly().optional(),
  /** A job of one kind in place of customers (safety). */
  own: z
    .strictObject({ kind: z.string(), payload: z.json(), item: z.record(z.string(), z.json()).optional() })
    .readonly()
    .optional(),
  /** What goes wrong all the time (liveness). */
  frozen: z.string().optional(),
});
export type RunCase = Readonly<z.infer<typeof runCaseSchema>>;

/** What the parent asks a worker for besides the verdict. */
export interface Wanted {
  readonly trace?: boolean;
  /** What could go wrong at each point, in order. */
  readonly points?: boolean;
}

export interface BrokenPromise {
  readonly invariant: string;
  readonly promise: string;
  readonly how: string;
  /** Virtual milliseconds since the run began; undefined when there is no telling. */
  readonly afterMs: number | undefined;
}

export interface Struck {
  readonly at: number;
  readonly label: string;
  readonly nth: number;
  readonly fault: Fault;
}

/** What is known of one run. */
export interface Played {
  readonly runCase: RunCase;
  readonly story: string;
  readonly hash: string;
  readonly broken: readonly BrokenPromise[];
  readonly struck: readonly Struck[];
  readonly situations: Readonly<Record<string, number>>;
  /** How often each point was met, by name. */
  readonly met: Readonly<Record<string, number>>;
  /** What could go wrong at points whose names this worker had not met before. */
  readonly possible: Readonly<Record<string, readonly Fault[]>>;
  readonly events: number;
  readonly virtualMs: number;
  readonly lines?: readonly string[];
  readonly points?: readonly (readonly Fault[])[];
}

/** Plays one run somewhere; never rejects. */
export type Play = (runCase: RunCase, wanted?: Wanted) => Promise<Played>;

/** A run that did not get as far as a verdict is broken, too. */
export const unplayed = (runCase: RunCase, invariant: string, how: string): Played => ({
  runCase,
  story: '',
  hash: '',
  broken: [{ invariant, promise: HARNESS_PROMISES[invariant] ?? 'every run comes to a verdict', how, afterMs: undefined }],
  struck: [],
  situations: {},
  met: {},
  possible: {},
  events: 0,
  virtualMs: 0,
});

/** What the campaign itself demands of a run. */
export const HARNESS_PROMISES: Readonly<Record<string, string>> = {
  rest: 'every run comes to rest: nothing goes round for ever',
  hangs: 'every run ends within its real time limit',
  died: 'no run takes its process down',
  threw: 'no run ends with an error of the simulator',
};

/** The arguments of `npm run simulate` that play exactly this run. */
export function argumentsOf({ mode, seed, rate, skew, faults, withoutOrders, own, frozen }: RunCase): string[] {
  const planned = faults?.map((fault) => ('at' in fault ? `${fault.at}:${fault.fault}` : `'${fault.label}#${fault.nth}:${fault.fault}'`));
  return [
    `--seed ${seed}`,
    ...(mode === 'safety' ? [] : [`--mode ${mode}`]),
    ...(rate === undefined ? [] : [`--rate ${rate}`]),
    ...(skew === undefined ? [] : [skew ? '--skew' : '--no-skew']),
    ...(planned === undefined ? [] : [`--faults ${planned.length === 0 ? 'none' : planned.join(',')}`]),
    ...(own === undefined ? [] : ownArguments(own)),
    ...(withoutOrders === undefined || withoutOrders.length === 0 ? [] : [`--without-orders ${withoutOrders.join(',')}`]),
    ...(frozen === undefined ? [] : [`--class ${frozen}`]),
  ];
}

const quoted = (value: unknown): string => `'${JSON.stringify(value)}'`;

const ownArguments = ({ kind, payload, item }: NonNullable<RunCase['own']>): string[] => [
  `--kind ${kind}`,
  `--payload ${quoted(payload)}`,
  ...(item === undefined ? [] : [`--item ${quoted(item)}`]),
];

export const commandOf = (runCase: RunCase): string => `npm run simulate -- ${argumentsOf(runCase).join(' ')}`;

/** The reverse of what `argumentsOf` prints for `--faults`. */
export function parseFaults(text: string): PlannedFault[] {
  if (text === 'none') return [];
  return text.split(',').map((part) => {
    const [, place = '', fault = ''] = /^(.+):([a-z-]+)$/.exec(part) ?? [];
    const [, label, nth] = /^(.+)#(\d+)$/.exec(place) ?? [];
    if (label !== undefined) return plannedFault.parse({ label, nth: Number(nth), fault });
    if (!/^\d+$/.test(place)) throw new RangeError(`"${part}" is no fault: write <point>:<fault>, for example 12:dropped`);
    return plannedFault.parse({ at: Number(place), fault });
  });
}
