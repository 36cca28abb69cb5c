import { bad, doubtful, good, quiet, strong } from '../../../cli/output/paint.ts';
import type { Breakage, Campaign } from './campaign.ts';
import { OWN_JOB_DONE } from './required-situations.ts';
import { type BrokenPromise, commandOf, type Played } from './run-case.ts';
import type { Shrunk } from './shrink.ts';
import { type Tried, triedText } from './tried.ts';

/** From so many random runs on, what was never met counts as a failure. */
export const ENOUGH_RUNS = 3_000;

export interface Failure extends Breakage {
  /** How many runs broke its first promise. */
  readonly times: number;
  readonly shrunk: Shrunk | undefined;
  /** Of the smallest run. */
  readonly lines: readonly string[];
}

export interface Verdict {
  readonly title: string;
  readonly campaign: Campaign;
  readonly failures: readonly Failure[];
  /** What a campaign like this must have met and did not. */
  readonly missing: readonly string[];
  /** Whether that counts. */
  readonly isLargeEnough: boolean;
  /** What was asked for and not done, in sentences. */
  readonly unproved: readonly string[];
  /** What an exhaustive campaign tried. */
  readonly tried: Tried | undefined;
  readonly tookMs: number;
  readonly showsTrace: boolean;
}

export const hasFailed = ({ campaign, missing, isLargeEnough, unproved }: Verdict): boolean =>
  campaign.failures.length > 0 || campaign.runs === 0 || unproved.length > 0 || (isLargeEnough && missing.length > 0);

const MOST_LINES = 30;
const DAY_MS = 86_400_000;

export function verdictText(verdict: Verdict): string {
  const { campaign, failures, showsTrace } = verdict;
  const single = campaign.runs === 1 ? campaign.last : undefined;
  return [
    ...failures.flatMap((failure) => failureLines(failure, showsTrace ? Number.POSITIVE_INFINITY : MOST_LINES)),
    ...(single === undefined ? [] : singleLines(single, showsTrace && failures.length === 0)),
    ...(single === undefined ? summaryLines(verdict) : []),
    ...(showsTrace && single === undefined && failures.length === 0 ? [NO_TRACE] : []),
    ending(verdict),
  ].join('\n');
}

const NO_TRACE = 'No trace is shown: no run broke a promise. To see all of one run, name it: --seed <number> --trace.';

/** Everything a person needs who has never seen the run. */
export function failureLines({ promises, played, times, shrunk, lines }: Failure, mostLines = MOST_LINES): string[] {
  const { runCase, story, struck } = played;
  const left = Math.max(0, lines.length - mostLines);
  return [
    ...promises.flatMap(promiseLines),
    `  run      seed ${runCase.seed}, mode ${runCase.mode}${story === '' ? '' : `, story ${story}`}, ${struck.length} faults; ${JSON.stringify(runCase)}`,
    ...(times === 1 ? [] : [`           ${quiet(`${promises[0]?.invariant} is broken in ${times} runs`)}`]),
    `  repeat   ${commandOf(runCase)}`,
    ...(shrunk === undefined ? [] : shrunkLines(shrunk)),
    ...(lines.length === 0
      ? []
      : [`  trace${left === 0 ? '' : `    the last ${mostLines} of ${lines.length} lines; all of them with --trace`}`]),
    ...lines.slice(left).map((line) => `    ${line}`),
    '',
  ];
}

const promiseLines = ({ invariant, promise, how, afterMs }: BrokenPromise): string[] => [
  `${bad('✗')} ${strong(invariant)} is broken: ${promise}`,
  `  how      ${how}`,
  `  when     ${afterMs === undefined ? 'unknown' : `${duration(afterMs)} into the run`}`,
];

const shrunkLines = ({ runCase, played, tried }: Shrunk): string[] => [
  `  smallest ${commandOf(runCase)}`,
  ...played.struck.map(({ at, label, fault }) => `           ${fault} at ${label} (point ${at})`),
  `           ${quiet(`found by trying ${tried}`)}`,
];

const singleLines = ({ runCase, hash, story, struck, events, virtualMs, lines = [] }: Played, showsTrace: boolean): string[] => [
  ...(showsTrace ? lines : []),
  `seed ${runCase.seed}: story ${story}, ${struck.length} faults, ${events} events, ${duration(virtualMs)} of virtual time`,
  `trace hash ${hash}`,
];

function summaryLines({ title, campaign, missing, isLargeEnough, tried, tookMs }: Verdict): string[] {
  const { runs, struck, points, events, virtualMs, coverage } = campaign;
  const services = [...coverage.byService()].sort(([left], [right]) => left.localeCompare(right));
  const situations = [...coverage.situations].sort(([left], [right]) => left.localeCompare(right));
  return [
    strong(title),
    `${runs} runs in ${(tookMs / 1000).toFixed(0)} s (${(runs / (tookMs / 1000)).toFixed(1)}/s): ${(virtualMs / DAY_MS).toFixed(1)} virtual days, ${events} events,`,
    `${points} points where something could go wrong, ${struck} where it did`,
    ...(tried === undefined ? [] : [triedText(tried)]),
    '',
    strong('Faults by service'),
    ...services.map(
      ([service, faults]) => `  ${service.padEnd(16)} ${[...faults].map(([fault, times]) => `${fault} ${times}`).join(' · ')}`,
    ),
    '',
    strong('Situations'),
    ...columns(situations.map(([name, times]) => `${String(times).padStart(7)} ${name}`)),
    ...(missing.length === 0
      ? []
      : ['', strong(isLargeEnough ? bad('Never met') : `Not met yet (counts from ${ENOUGH_RUNS} random runs on)`)]),
    ...missing.map((what) => `  ${what}`),
    '',
  ];
}

const WIDTH = 60;
/** Two side by side, read downwards. */
function columns(entries: readonly string[]): string[] {
  const half = Math.ceil(entries.length / 2);
  return entries.slice(0, half).map((entry, index) => `${entry.padEnd(WIDTH)} ${entries[half + index] ?? ''}`.trimEnd());
}

function ending(verdict: Verdict): string {
  const { campaign, missing, isLargeEnough, unproved } = verdict;
  const runs = `${campaign.runs} ${campaign.runs === 1 ? 'run' : 'runs'}`;
  if (!hasFailed(verdict)) return `${good('✓')} ${runs}, 0 broken promises${jobDone(campaign)}`;
  if (campaign.runs === 0) return `${bad('✗')} ${['nothing was run', ...unproved].join('. ')}`;
  const broken = campaign.failures.length === 0 ? '' : `${campaign.failures.length} of ${campaign.runs} runs broke a promise`;
  const stopped = campaign.stopped ? doubtful('; stopped there') : '';
  const unmet = isLargeEnough && missing.length > 0 ? `${broken === '' ? '' : '; '}${missing.length} things were never met` : '';
  const told = `${broken}${stopped}${unmet}`;
  return [...(told === '' ? [] : [`${bad('✗')} ${told}`]), ...unproved.map((sentence) => `${bad('✗')} ${sentence}`)].join('\n');
}

/** Of a job of one kind: how often the rest was tried, too. */
function jobDone({ runs, coverage }: Campaign): string {
  const done = coverage.situations.get(OWN_JOB_DONE);
  if (done === undefined) return '';
  return runs === 1 ? '; the job was done' : `; the job was done in ${done === runs ? 'each' : `${done}`} of them`;
}

/** The same for programs. */
export const verdictDocument = (verdict: Verdict): Record<string, unknown> => {
  const { title, campaign, failures, missing, isLargeEnough, unproved, tried, tookMs, showsTrace } = verdict;
  const { runs, stopped, struck, points, events, virtualMs, coverage, last } = campaign;
  return {
    ok: !hasFailed(verdict),
    title,
    runs,
    broken: campaign.failures.length,
    stopped,
    seconds: tookMs / 1000,
    virtualDays: virtualMs / DAY_MS,
    events,
    points,
    faults: struck,
    ...(tried === undefined ? {} : { tried }),
    ...(runs === 1 ? { hash: last?.hash } : {}),
    ...(runs === 1 && showsTrace && failures.length === 0 ? { trace: last?.lines ?? [] } : {}),
    failures: failures.map(({ promises, played, times, shrunk, lines }) => ({
      promises,
      times,
      runCase: played.runCase,
      repeat: commandOf(played.runCase),
      ...(shrunk === undefined ? {} : { smallest: commandOf(shrunk.runCase), faults: shrunk.played.struck }),
      trace: lines,
    })),
    unproved,
    missing,
    missingCounts: isLargeEnough,
    situations: Object.fromEntries(coverage.situations),
    coverage: Object.fromEntries(
      [...coverage.points].map(([label, { met, struck: faults }]) => [label, { met, ...Object.fromEntries(faults) }]),
    ),
  };
};

function duration(ms: number): string {
  const [days, hours, minutes] = [Math.floor(ms / DAY_MS), Math.floor(ms / 3_600_000) % 24, Math.floor(ms / 60_000) % 60];
  const parts = [
    days > 0 ? `${days} d` : '',
    hours > 0 ? `${hours} h` : '',
    minutes > 0 ? `${minutes} min` : '',
    `${((ms % 60_000) / 1000).toFixed(3)} s`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
