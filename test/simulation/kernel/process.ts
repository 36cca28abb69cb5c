/**
 * Something that runs code and can die: a Lambda execution environment, a user's browser, an operator's command. What it set in
 * motion before it died goes on outside; nothing it waits for ever settles.
 */
export interface Process {
  readonly name: string;
  /** Added to the true time wherever this process reads a clock. */
  readonly clockAheadMs: number;
  dead: boolean;
  /** Its events wait until then, as in a paused virtual machine. */
  frozenUntilMs: number;
  /** Between two invocations an execution environment stands still; what is due meanwhile waits here. */
  paused: boolean;
  readonly parked: (() => void)[];
}

export const createProcess = (name: string, clockAheadMs = 0): Process => ({
  name,
  clockAheadMs,
  dead: false,
  frozenUntilMs: 0,
  paused: false,
  parked: [],
});
