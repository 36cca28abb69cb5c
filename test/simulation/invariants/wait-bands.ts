import type { Simulation } from '../simulation.ts';
import { situationOfWait } from './retry-spread.ts';

/** As promised (docs/guarantees.md, D2 and D3), not as configured. */
const STEPS_SECONDS = [10, 30, 120, 300, 900] as const;
const ATTEMPTS = STEPS_SECONDS.length + 1;
/** Half of the first step: being put off is no reason to come back at once. */
export const SHORTEST_DEFERRAL_SECONDS = 5;
const LONGEST_DEFERRAL_SECONDS = 900;
export const LONGEST_WAIT_SECONDS = 3_600;

/** A run that ended without an answer, and what its process may do next. */
export interface Release {
  readonly operation: string;
  readonly attempt: number;
  readonly deferred: boolean;
  /** What the provider asked for in this run; 0 when it did not. */
  readonly retryAfterSeconds: number;
}

export interface HandBack {
  /** Of all copies of one job in a batch; one of them was released, the others found it waiting. */
  readonly delays: readonly number[];
  /** How far clocks are known to lie apart. */
  readonly apartSeconds: number;
  /** The function was about to end: whatever it had no time for comes back as soon as another can take it. */
  readonly isLate: boolean;
  readonly what: string;
}

export function judgeHandBack(
  { delays, apartSeconds, isLate, what }: HandBack,
  release: Release | undefined,
  simulation: Simulation,
  violate: (how: string) => void,
): void {
  const isWithin = (bands: readonly Band[]) => (seconds: number) => bands.some(([least, most]) => seconds >= least && seconds <= most);
  const outside = delays.find((seconds) => !isWithin([waitingBand(apartSeconds)])(seconds));
  if (outside !== undefined) violate(`${what} for ${outside} s`);
  if (release === undefined) return;
  const { attempt, deferred, retryAfterSeconds } = release;
  const bands = bandsOf(release, apartSeconds, isLate);
  if (!delays.some(isWithin(bands)))
    violate(`${what} for ${delays.join(', ')} s after attempt ${attempt}, not ${bands.map((band) => band.join(' to ')).join(' or ')} s`);
  const step = STEPS_SECONDS[attempt - 1];
  const [seconds] = delays;
  if (step === undefined || seconds === undefined || delays.length > 1 || deferred || retryAfterSeconds > 0) return;
  simulation.happened(situationOfWait(seconds, step));
}

type Band = readonly [least: number, most: number];

/** Half an hour to an hour: what can only be asked about. */
const SLOW: Band = [LONGEST_WAIT_SECONDS / 2, LONGEST_WAIT_SECONDS];

/** Behind somebody else's lease or wait, which another clock measures, and with a spread of a second. */
const waitingBand = (apartSeconds: number): Band => [1, LONGEST_WAIT_SECONDS + apartSeconds + 1];

function bandsOf({ operation, attempt, deferred, retryAfterSeconds }: Release, apartSeconds: number, isLate: boolean): Band[] {
  // A refund about to expire is put off until its key has; until when a circuit is open, another clock may have said.
  const longest = operation.startsWith('refund') ? LONGEST_WAIT_SECONDS : LONGEST_DEFERRAL_SECONDS + apartSeconds;
  const deferral: Band = [isLate ? 1 : SHORTEST_DEFERRAL_SECONDS, Math.max(longest, retryAfterSeconds)];
  if (attempt > ATTEMPTS) return [deferral, SLOW];
  if (deferred) return [deferral];
  const step = STEPS_SECONDS[attempt - 1];
  return step === undefined ? [SLOW] : [[step / 2, Math.max(step, retryAfterSeconds)]];
}
